//! What the machine has: the memory for bodies and pages when the configuration leaves it open.

use std::fs;

/// Memory of a crawl that reads on four cores or fewer, in bytes. The harm tests hold for it.
const LEAST_BYTES: usize = 32 << 20;

/// Bytes for each core: as many pages of half a megabyte as there are cores are then read side by side.
const BYTES_PER_CORE: usize = 8 << 20;

/// The process takes several times this memory, because a page that is read needs more than its bytes. With this share, it takes about an
/// eighth of the memory of the machine.
const SHARE_OF_MEMORY: u64 = 64;

/// `fetch.memory_bytes` for this machine: by its cores, and at most a small share of its memory.
pub(super) fn memory_bytes() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for_machine(cores, most_memory())
}

fn for_machine(cores: usize, memory: Option<u64>) -> usize {
    // Nothing is known of the memory: what is right for every machine.
    let most = memory.map_or(LEAST_BYTES as u64, |bytes| bytes / SHARE_OF_MEMORY);
    cores
        .saturating_mul(BYTES_PER_CORE)
        .min(usize::try_from(most).unwrap_or(usize::MAX))
        .max(LEAST_BYTES)
}

/// Memory in bytes that this process can have: that of the machine, or of its control group if that has less. `None` without `/proc`.
#[must_use]
pub fn most_memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(total)?;
    // Version 2 of control groups, then version 1. In a container, the paths lead to its own group.
    let group = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .iter()
    .filter_map(|path| fs::read_to_string(path).ok())
    .find_map(|limit| limit.trim().parse().ok());
    Some(group.unwrap_or(u64::MAX).min(machine))
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_grows_with_the_cores_within_a_share_of_the_machine() {
        for (cores, gibibytes, mebibytes) in [
            (1, Some(1), 32),
            (2, Some(24), 32),
            (4, Some(16), 32),
            (8, Some(16), 64),
            (16, Some(64), 128),
            (64, Some(16), 256),
            (64, Some(256), 512),
            (64, None, 32),
            (usize::MAX, Some(256), 4_096),
        ] {
            let memory = gibibytes.map(|gibibytes: u64| gibibytes << 30);
            assert_eq!(
                for_machine(cores, memory) >> 20,
                mebibytes,
                "{cores} cores, {gibibytes:?} GiB"
            );
        }
    }

    #[test]
    fn the_memory_of_the_machine_is_read_from_its_table() {
        assert_eq!(
            total("MemTotal:       24689172 kB\nMemFree: 1 kB\n"),
            Some(24_689_172 * 1_024)
        );
        for damaged in ["", "MemFree: 1 kB\n", "MemTotal: many kB\n", "MemTotal: 1 MB\n"] {
            assert_eq!(total(damaged), None, "{damaged:?}");
        }
    }
}
