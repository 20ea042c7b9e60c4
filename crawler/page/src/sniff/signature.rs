//! The first bytes by which files of other types than text are told (WHATWG MIME Sniffing, sections 6 and 7.1).

/// The first bytes of a type.
struct Signature {
    media_type: &'static str,
    at: usize,
    bytes: &'static [u8],
    /// Whether the signature suffices. A text may begin with the letters of the others, so control bytes must follow them.
    is_enough: bool,
}

const fn certain(media_type: &'static str, bytes: &'static [u8]) -> Signature {
    Signature {
        media_type,
        at: 0,
        bytes,
        is_enough: true,
    }
}

const fn letters(media_type: &'static str, at: usize, bytes: &'static [u8]) -> Signature {
    Signature {
        media_type,
        at,
        bytes,
        is_enough: false,
    }
}

const SIGNATURES: &[Signature] = &[
    certain("application/pdf", b"%PDF-"),
    certain("application/postscript", b"%!PS-Adobe-"),
    certain("application/gzip", b"\x1f\x8b\x08"),
    certain("application/zip", b"PK\x03\x04"),
    certain("application/x-rar-compressed", b"Rar!\x1a\x07"),
    certain("application/wasm", b"\0asm"),
    certain("image/png", b"\x89PNG\r\n\x1a\n"),
    certain("image/jpeg", b"\xff\xd8\xff"),
    certain("image/x-icon", b"\0\0\x01\0"),
    certain("image/x-icon", b"\0\0\x02\0"),
    certain("audio/midi", b"MThd\0\0\0\x06"),
    certain("application/ogg", b"OggS\0"),
    certain("video/webm", b"\x1a\x45\xdf\xa3"),
    certain("font/ttf", b"\0\x01\0\0"),
    letters("image/gif", 0, b"GIF87a"),
    letters("image/gif", 0, b"GIF89a"),
    letters("image/bmp", 0, b"BM"),
    letters("image/webp", 8, b"WEBPVP"),
    letters("audio/wave", 8, b"WAVE"),
    letters("audio/aiff", 8, b"AIFF"),
    letters("audio/mpeg", 0, b"ID3"),
    letters("video/avi", 8, b"AVI "),
    letters("video/mp4", 4, b"ftyp"),
    letters("font/otf", 0, b"OTTO"),
    letters("font/collection", 0, b"ttcf"),
    letters("font/woff", 0, b"wOFF"),
    letters("font/woff2", 0, b"wOF2"),
    letters("application/vnd.ms-fontobject", 34, b"LP"),
];

/// The media type whose signature the bytes begin with; `has_control_bytes` says whether bytes that no text has follow.
pub(super) fn media_type(body: &[u8], has_control_bytes: bool) -> Option<&'static str> {
    let found = SIGNATURES.iter().find(|signature| {
        let begins = body
            .get(signature.at..)
            .is_some_and(|rest| rest.starts_with(signature.bytes));
        begins && (signature.is_enough || has_control_bytes)
    });
    found.map(|signature| signature.media_type)
}
