//! The kinds of special-purpose addresses.
//!
//! Sources: the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) and the RFCs named beside each range.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A kind of address outside the public web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressKind {
    /// 127.0.0.0/8, ::1.
    Loopback,
    /// RFC 1918: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16; the deprecated site-local fec0::/10.
    Private,
    /// RFC 4193: fc00::/7.
    UniqueLocal,
    /// RFC 3927 and RFC 4291: 169.254.0.0/16, fe80::/10.
    LinkLocal,
    /// RFC 6598: 100.64.0.0/10, shared between a provider and its customers.
    CarrierGradeNat,
    /// RFC 2544 and RFC 5180: 198.18.0.0/15, 2001:2::/48.
    Benchmarking,
    /// RFC 5737, RFC 3849, RFC 9637: 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24, 2001:db8::/32, 3fff::/20.
    Documentation,
    /// The well-known addresses at which clouds serve credentials to their machines, such as 169.254.169.254.
    CloudMetadata,
    /// 0.0.0.0/8 (RFC 1122) and ::.
    Unspecified,
    /// 224.0.0.0/4, ff00::/8.
    Multicast,
    /// 255.255.255.255.
    Broadcast,
    /// 240.0.0.0/4, 192.0.0.0/24, and every IPv6 address outside the global unicast block 2000::/3.
    Reserved,
}

impl AddressKind {
    /// The kind of the address, or `None` for a public one.
    ///
    /// An IPv6 address that carries an IPv4 address (mapped, compatible, 6to4, NAT64, Teredo, ISATAP) has the kind of the
    /// carried address, because its packets end there.
    #[must_use]
    pub fn of(address: IpAddr) -> Option<Self> {
        match address {
            IpAddr::V4(v4) => of_v4(v4),
            IpAddr::V6(v6) => of_v6(v6),
        }
    }

    /// Whether the permission for private networks covers this kind. No setting permits the others: no web server has such
    /// an address.
    #[must_use]
    pub fn is_private_network(self) -> bool {
        matches!(
            self,
            Self::Loopback
                | Self::Private
                | Self::UniqueLocal
                | Self::LinkLocal
                | Self::CarrierGradeNat
                | Self::Benchmarking
                | Self::Documentation
        )
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::UniqueLocal => "unique-local",
            Self::LinkLocal => "link-local",
            Self::CarrierGradeNat => "carrier-grade NAT",
            Self::Benchmarking => "benchmarking",
            Self::Documentation => "documentation",
            Self::CloudMetadata => "cloud metadata",
            Self::Unspecified => "unspecified",
            Self::Multicast => "multicast",
            Self::Broadcast => "broadcast",
            Self::Reserved => "reserved",
        })
    }
}

/// In this order: AWS, GCP, Azure and most others; Alibaba; Oracle (old); Azure's wire server, which is a public address.
const METADATA_V4: [Ipv4Addr; 4] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];

/// AWS over IPv6.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

fn of_v4(address: Ipv4Addr) -> Option<AddressKind> {
    use AddressKind as Kind;
    if METADATA_V4.contains(&address) {
        return Some(Kind::CloudMetadata);
    }
    Some(match address.octets() {
        [0, ..] => Kind::Unspecified,
        [127, ..] => Kind::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Kind::Private,
        [100, 64..=127, ..] => Kind::CarrierGradeNat,
        [169, 254, ..] => Kind::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Kind::Documentation,
        [192, 0, 0, _] => Kind::Reserved,
        [198, 18..=19, ..] => Kind::Benchmarking,
        [224..=239, ..] => Kind::Multicast,
        [255, 255, 255, 255] => Kind::Broadcast,
        [240..=255, ..] => Kind::Reserved,
        _ => return None,
    })
}

fn of_v6(address: Ipv6Addr) -> Option<AddressKind> {
    use AddressKind as Kind;
    // Before the embedded forms: :: and ::1 would read as the IPv4-compatible 0.0.0.0 and 0.0.0.1.
    if address.is_unspecified() {
        return Some(Kind::Unspecified);
    }
    if address.is_loopback() {
        return Some(Kind::Loopback);
    }
    if address == METADATA_V6 {
        return Some(Kind::CloudMetadata);
    }
    if let Some(kind) = embedded_v4(address).into_iter().flatten().find_map(of_v4) {
        return Some(kind);
    }
    Some(match address.segments() {
        [0xfe80..=0xfebf, ..] => Kind::LinkLocal,
        [0xfec0..=0xfeff, ..] => Kind::Private,
        [0xfc00..=0xfdff, ..] => Kind::UniqueLocal,
        [0xff00..=0xffff, ..] => Kind::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0x0fff, ..] => Kind::Documentation,
        [0x2001, 2, 0, ..] => Kind::Benchmarking,
        // The IPv4 address behind the well-known NAT64 prefix (RFC 6052) was checked above. So was that of a mapped address,
        // for which the operating system uses IPv4.
        [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0, 0xffff, ..] => return None,
        [0x2000..=0x3fff, ..] => return None,
        _ => Kind::Reserved,
    })
}

/// The IPv4 addresses that an IPv6 address carries: at most two (Teredo names a server and a client).
fn embedded_v4(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        // Mapped ::ffff:a.b.c.d and compatible ::a.b.c.d (RFC 4291 §2.5.5), translated ::ffff:0:a.b.c.d (RFC 2765).
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => [v4(high, low), None],
        // 6to4 (RFC 3056).
        [0x2002, high, low, ..] => [v4(high, low), None],
        // NAT64, the well-known prefix (RFC 6052) and the one for local use (RFC 8215).
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x64, 0xff9b, 1, _, _, _, high, low] => [v4(high, low), None],
        // Teredo (RFC 4380 §4): the server in clear, the client's address with every bit inverted.
        [0x2001, 0, server_high, server_low, _, _, high, low] => [v4(server_high, server_low), v4(!high, !low)],
        // ISATAP (RFC 5214 §6.1), under any prefix.
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => [v4(high, low), None],
        _ => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(address: &str) -> Option<AddressKind> {
        AddressKind::of(address.parse().unwrap())
    }

    #[test]
    fn every_special_range_is_known_from_its_first_address_to_its_last() {
        use AddressKind as Kind;
        let ranges = [
            ("0.0.0.0", "0.255.255.255", Kind::Unspecified),
            ("10.0.0.0", "10.255.255.255", Kind::Private),
            ("100.64.0.0", "100.127.255.255", Kind::CarrierGradeNat),
            ("127.0.0.0", "127.255.255.255", Kind::Loopback),
            ("169.254.0.0", "169.254.255.255", Kind::LinkLocal),
            ("172.16.0.0", "172.31.255.255", Kind::Private),
            ("192.0.0.0", "192.0.0.255", Kind::Reserved),
            ("192.0.2.0", "192.0.2.255", Kind::Documentation),
            ("192.168.0.0", "192.168.255.255", Kind::Private),
            ("198.18.0.0", "198.19.255.255", Kind::Benchmarking),
            ("198.51.100.0", "198.51.100.255", Kind::Documentation),
            ("203.0.113.0", "203.0.113.255", Kind::Documentation),
            ("224.0.0.0", "239.255.255.255", Kind::Multicast),
            ("240.0.0.0", "255.255.255.254", Kind::Reserved),
            ("255.255.255.255", "255.255.255.255", Kind::Broadcast),
            ("::", "::", Kind::Unspecified),
            ("::1", "::1", Kind::Loopback),
            ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::LinkLocal),
            ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Private),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::UniqueLocal),
            ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Multicast),
            (
                "2001:db8::",
                "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
                Kind::Documentation,
            ),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Documentation),
            ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", Kind::Benchmarking),
            ("100::", "100::ffff:ffff:ffff:ffff", Kind::Reserved),
            ("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Kind::Reserved),
        ];
        for (first, last, expected) in ranges {
            assert_eq!(kind(first), Some(expected), "{first}");
            assert_eq!(kind(last), Some(expected), "{last}");
        }
    }

    #[test]
    fn the_neighbours_of_the_special_ranges_are_public() {
        for address in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2000::",
            "2001:db7::1",
            "2001:db9::1",
            "2001:2:1::",
            "2606:4700::1111",
            "3ffe::1",
            "3fff:1000::",
        ] {
            assert_eq!(kind(address), None, "{address}");
        }
    }

    #[test]
    fn an_ipv6_address_has_the_kind_of_the_ipv4_address_that_it_carries() {
        use AddressKind as Kind;
        for (address, expected) in [
            ("::ffff:127.0.0.1", Some(Kind::Loopback)),
            ("::ffff:0:127.0.0.1", Some(Kind::Loopback)),
            ("::127.0.0.1", Some(Kind::Loopback)),
            ("2002:7f00:1::", Some(Kind::Loopback)),
            ("64:ff9b::127.0.0.1", Some(Kind::Loopback)),
            ("64:ff9b:1::10.0.0.1", Some(Kind::Private)),
            ("64:ff9b:1::8.8.8.8", Some(Kind::Reserved)),
            // Teredo: server 10.0.0.1; then client 192.168.0.1, inverted.
            ("2001:0:a00:1::", Some(Kind::Private)),
            ("2001:0:808:808:0:0:3f57:fffe", Some(Kind::Private)),
            ("2001:470::5efe:192.168.0.1", Some(Kind::Private)),
            ("2001:470::200:5efe:10.1.2.3", Some(Kind::Private)),
            ("::ffff:169.254.169.254", Some(Kind::CloudMetadata)),
            ("64:ff9b::169.254.169.254", Some(Kind::CloudMetadata)),
            ("::ffff:8.8.8.8", None),
            ("64:ff9b::8.8.8.8", None),
            ("2002:808:808::1", None),
            ("::8.8.8.8", Some(Kind::Reserved)),
        ] {
            assert_eq!(kind(address), expected, "{address}");
        }
    }

    #[test]
    fn cloud_metadata_is_no_ordinary_private_network() {
        for address in [
            "169.254.169.254",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "fd00:ec2::254",
        ] {
            let kind = kind(address);
            assert_eq!(kind, Some(AddressKind::CloudMetadata), "{address}");
            assert!(!AddressKind::CloudMetadata.is_private_network());
        }
    }
}
