// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.ScheduledMessage.Status;
import io.safebunny.ScheduledMessages;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is due when, and what somebody does about it. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class ScheduledIT {

    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    private static String row(String id) {
        return "tr[data-row=\"%s\"]".formatted(id);
    }

    @Test
    void isCancelledMovedAndRunAndWhoComesTooLateIsTold(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            String cancelled = Incidents.remind(site, "order-11");
            String moved = Incidents.remind(site, "order-12");
            String run = Incidents.remind(site, "order-13");
            site.open(browser, Place.SCHEDULED.fragment());
            browser.shows(cancelled, moved, run, "no message");

            browser.clickIn(row(cancelled), "Cancel…");
            browser.clickIn("dialog", "as curl");
            browser.shows(
                    "Cancel ReminderDue " + cancelled,
                    "is not published either",
                    "/actuator/safebunny/scheduled/" + cancelled);
            browser.fill(Dashboard.REASON, "the order is gone");
            browser.click("Cancel");
            browser.shows("it will never be published");
            browser.click("Close");
            browser.hides(cancelled);

            Instant to = Instant.now().plus(Duration.ofHours(3)).truncatedTo(ChronoUnit.SECONDS);
            browser.clickIn(row(moved), "Move…");
            browser.fill("To when", "noon");
            browser.fill(Dashboard.REASON, "not on a Sunday");
            browser.click("Move");
            browser.shows("it must be a time such as");
            browser.fill("To when", LOCAL.format(LocalDateTime.ofInstant(to, ZoneId.systemDefault())));
            browser.click("Move");
            browser.shows("Done. It is due in 2 h");
            browser.click("Close");
            assertThat(browser.barriers()).isEmpty();

            browser.clickIn(row(run), "Run now…");
            browser.fill(Dashboard.REASON, "the customer asked");
            browser.click("Run now");
            browser.shows("Done.", "goes out when the node has handled its wake-up call");
            browser.click("Close");
            browser.hides(run);
            site.open(browser, "#/scheduled/" + run);
            browser.shows("published", "ended", "Its story");
            assertThat(browser.has("Cancel…")).isFalse();

            site.open(browser, "#/audit");
            browser.shows("scheduled cancel", "the order is gone", "scheduled move", "scheduled run");
            assertThat(browser.complaints()).hasSize(1).allMatch(complaint -> complaint.contains("400"));
        }
    }

    /** The page has not heard of it yet. */
    @Test
    void whatIsPublishedMeanwhileIsNotCancelled(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            String id = Incidents.remind(site, "order-11");
            site.open(browser, "#/scheduled/" + id);
            browser.click("Cancel…");
            browser.fill(Dashboard.REASON, "the order is gone");
            String handle =
                    "shop~%s~%s".formatted(id, Long.toString(Instant.now().toEpochMilli(), Character.MAX_RADIX));
            ScheduledMessages scheduled = site.bean(ScheduledMessages.class);
            assertThat(scheduled.move(handle, Instant.now())).isTrue();
            browser.until(
                    "a publication", () -> scheduled.find(handle).orElseThrow().status() == Status.PUBLISHED);

            browser.click("Cancel");

            browser.shows("Too late to cancel scheduled message " + id + ": it was published at");
        }
    }

    @Test
    void isFoundByTypeAndCorrelationIdAndNobodyIsToldOfWhatIsNotThere(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            String one = Incidents.remind(site, "order-11");
            String other = Incidents.remind(site, "order-12");
            site.open(browser, "#/scheduled?correlation=order-12");
            browser.shows(other, "Scheduled: order-12");
            assertThat(browser.text()).doesNotContain(one);
            site.open(browser, "#/scheduled?type=Nothing");
            browser.shows("No such messages on this page of the list.");
            site.open(browser, "#/scheduled/" + UUID.randomUUID());
            browser.shows("stores no scheduled message with this id");
        }
    }

    @Test
    void hasNoButtonsForWhoMayOnlyLook(Browser browser) {
        try (Site site = Site.start(Variant.READ_ONLY)) {
            String id = Incidents.remind(site, "order-11");
            site.open(browser, Place.SCHEDULED.fragment());
            browser.shows(id, "access=unrestricted");
            for (String button : new String[] {"Cancel…", "Move…", "Run now…"}) {
                assertThat(browser.has(button)).as(button).isFalse();
            }
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void aNodeThatKeepsNoneSaysWhatToSet(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN, "safebunny.scheduling.enabled=false")) {
            site.open(browser, Place.SCHEDULED.fragment());
            browser.shows("Set safebunny.scheduling.enabled=true");
            assertThat(browser.complaints()).isEmpty();
        }
    }
}
