//! Settings that change while the run lasts.

use config::settings::Adjustable;
use web::politeness::Now;

use super::Frontier;

impl Frontier {
    /// Other delays and bounds hold from now on. What is known of hosts and addresses stays.
    pub(super) fn adjust(&mut self, to: Adjustable, now: Now) {
        let Adjustable {
            politeness,
            hosts,
            max_pages,
            max_pages_per_host,
        } = to;
        self.settings.politeness = politeness;
        self.settings.hosts = hosts;
        if self.settings.max_pages_per_host != max_pages_per_host && self.released.take_back_over_limit() {
            self.intake.load_again();
        }
        self.settings.max_pages_per_host = max_pages_per_host;
        self.pages.set_max(max_pages);
        self.addresses.adopt(&politeness, now);
        self.schedule.forget_addresses();
        self.change_hosts(now, |name, host, settings| {
            host.adopt(&settings.politeness_of(name), settings.max_pages_per_host, now)
        });
        for key in self.addresses.awaited() {
            self.schedule_address(key, now);
        }
    }
}
