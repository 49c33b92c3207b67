// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Copies;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.ReminderDue;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.SagaView.StuckOn;
import io.safebunny.saga.Sagas;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who looks whether anything is stuck is told what is so, of which time it is, why it is so, and where it has gone. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class StuckIT {

    private static final String FINE = "Nothing is stuck.";

    /** The broker does not count what somebody holds. */
    @Test
    void nothingIsSaidOfCopiesThatAnOperationHolds(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            Copies.put(site, "message-1", "Letter", "invalid-message", "", "{}"); // does not match, and is held
            Copies.put(site, "message-2", "Parcel", "invalid-message", "", "{}");
            Copies.put(site, "message-3", "Parcel", "invalid-message", "", "{}");
            PoisonOperation operation = site.bean(PoisonMessages.class)
                    .discard(PoisonRequest.of(PoisonFilter.all().withType("Parcel"), "operator", "one in a minute")
                            .atRate(1 / 60.0));
            browser.until("a copy that was moved", () -> operation.progress().moved() == 1);
            try (BrowsedQueue queue = site.bean(Transport.class).browse("shop-poison")) {
                assertThat(queue.next()).isNotNull(); // as another instance takes it: now there is nothing to count
                site.open(browser, Place.NOW.fragment());

                browser.shows("Operation " + operation.id() + " on poison messages runs, and holds some of them");
                assertThat(browser.text()).doesNotContain(FINE);
            }
            operation.cancel();
            browser.until("an end", () -> operation.progress().state() == RunState.CANCELLED);
            browser.shows("2 messages are set aside");
        }
    }

    @Test
    void aVerdictIsOldWhenThePageHasStoppedAsking(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            site.open(browser, Place.NOW.fragment());
            browser.shows(FINE);
            assertThat(browser.has("Go on")).isFalse();

            browser.passTime(Duration.ofHours(2));

            browser.shows("too old to act upon", "it has stopped asking", "Nobody knows what is going on now.");
            assertThat(browser.barriers()).isEmpty();

            browser.click("Go on");
            browser.hides("too old to act upon", "it has stopped asking", "Nobody knows what is going on now.");
            browser.shows(FINE);
        }
    }

    /** Its answer is the last one: nobody asks again, and it is as good as new. */
    @Test
    void whatHasEndedDoesNotBecomeOld(Site site, Browser browser) {
        PoisonOperation operation = site.bean(PoisonMessages.class)
                .discard(PoisonRequest.of(PoisonFilter.all().withType("Nobody"), "operator", "nothing matches"));
        site.open(browser, "#/operations/" + operation.id());
        browser.shows("nothing matches", "ended");

        browser.passTime(Duration.ofMinutes(5));
        browser.shows("5 min ago");

        assertThat(browser.text()).doesNotContain("too old to act upon");
    }

    @Test
    void aStuckSagaNamesTheMessageItsFailureAndWhoIsWaitedFor(Site site, Browser browser) {
        site.open(browser, Place.STUCK_SAGA.fragment());

        browser.shows(
                "stuck since",
                "It takes no message until somebody replays Add",
                "which shop has set aside, or resumes the saga without it.",
                "It failed with io.safebunny.PoisonMessageException: SB-3001 nothing can be added: a gift");
        String message = site.bean(Sagas.class)
                .find("Order", "order-3")
                .map(SagaView::stuckOn)
                .map(StuckOn::messageId)
                .orElseThrow();

        browser.clickIn("section", message);

        browser.shows("Message " + message, "nothing can be added");
    }

    @Test
    void aMessageThatWasDiscardedIsInTheArchive(Site site, Browser browser) {
        Copies.put(site, "message-40", "Letter", "invalid-message", "", "{}");
        site.open(browser, "#/poison/message-40");
        browser.click("Discard…");
        browser.fill(Dashboard.REASON, "nobody wants it");
        browser.click("Discard");
        browser.shows("Its progress");
        browser.click("Close");

        new Dashboard(browser, site).looksUntil("It was discarded, and is in the archive");
        assertThat(browser.text()).doesNotContain("Not Found", "Copy digest of");
        assertThat(browser.barriers()).isEmpty();

        browser.click("the archive");
        browser.shows("Archive: message-40", "1 copy matches");
        assertThat(browser.has("Restore…")).isTrue();
    }

    /** What it was, who sent what to whom, and what is expected. */
    @Test
    void theHistoryOfASagaIsDrawnAndItsTimeoutsCountDown(Site site, Browser browser) {
        site.open(browser, Place.BLOCKED_SAGA.fragment());
        browser.shows("in 1 d 23 h", "As a diagram", "timeout payment expires", "Dashed is what is expected.");

        assertThat(browser.run(
                        String.class, "return document.querySelector('svg.sequence').getAttribute('aria-label')"))
                .isEqualTo("What happened, in order, at others, Order order-2, timeouts, shop: as in the table above");
        assertThat(browser.run(Number.class, "return document.querySelectorAll('svg .happened').length"))
                .isEqualTo(browser.run(
                        Number.class,
                        "return [...document.querySelectorAll('caption')].find(one => one.textContent === 'History')"
                                + ".parentElement.querySelectorAll('tbody tr').length"));
        assertThat(browser.run(Number.class, "return document.querySelectorAll('svg .expected .arrow').length"))
                .isEqualTo(1L);
        assertThat(browser.run(Number.class, "return document.querySelectorAll('svg .happened circle').length"))
                .as("what came from nobody")
                .isEqualTo(0L);
        assertThat(browser.barriers()).isEmpty();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void sagasTellTheirAgeAndWhenTheirNextTimeoutIsOver(Site site, Browser browser) {
        site.open(browser, "#/sagas?olderThan=90m");
        browser.shows("older than 90m", "No such sagas on this page of the list.");

        browser.fill("Older than", "any age");

        browser.shows("order-2", "payment in 1 d 23 h");
        assertThat(browser.address()).hasFragment("/sagas?state=attention");
        assertThat(browser.run(
                        String.class,
                        "return document.querySelector('tr[data-row=\"Order order-2\"] [data-label=age]').innerText"))
                .matches("(?s)\\d+ (s|min).*");
        browser.fill("Older than", "an hour");
        browser.shows("older than 1h", "No such sagas on this page of the list.");
    }

    private static final String TYPES = """
            {%s, %s, %s, %s, %s}
            """.formatted(
                    type("Busy", "CLOSED", 80.5, 0, 20),
                    type("Hanging", "CLOSED", 0, 0, null).replace("\"inWork\": 0", "\"inWork\": 2"),
                    type("Failing", "CLOSED", 1.2, 0.7, 50),
                    type("Paused", "OPEN", 0, 0, null),
                    type("Slow", "CLOSED", 3, 0, 200_000).replace("\"retried\"", "\"expired\": 0.25, \"retried\""));

    private static String type(String name, String state, double handled, double setAside, @Nullable Integer p95) {
        return """
                "%1$s": {"type": "%1$s", "state": "%2$s", "since": "2026-01-01T00:00:00Z", "inWork": 0,
                    "rates": {"handled": %3$s, "retried": 0, "setAside": %4$s, "seconds": 60},
                    "criticalMillis": {"p50": %5$s, "p95": %5$s}}
                """.formatted(name, state, handled, setAside, p95);
    }

    @Test
    void typesAreSortedByWhatFailsIsSlowOrIsPaused(Site site, Browser browser) {
        site.open(browser, Place.TYPES.fragment());
        browser.shows("Charge");
        browser.answer("GET", "safebunny/breakers", TYPES);
        browser.shows("Failing", "in the last 60 seconds", "95 % ≤ 4 min half ≤ 4 min", "80.5/s");

        browser.shows("2 in work, none was handled", "3/s 0.25/s expired");

        for (String[] order : new String[][] {
            {"failing first", "failing", "Failing"},
            {"slow first", "slow", "Hanging"},
            {"paused first", "paused", "Paused"},
            {"busy first", "busy", "Busy"},
            {"by name", "name", "Busy"},
            {"what needs a look first", "look", "Paused"},
        }) {
            browser.fill("Order", order[0]);
            browser.shows("Types, " + order[0]);
            assertThat(first(browser)).as(order[0]).isEqualTo(order[2]);
            assertThat(browser.address()).hasFragment("/types?sort=" + order[1]);
        }
        site.open(browser, "#/types?sort=slow");
        browser.shows("Types, slow first");
        assertThat(types(browser)).startsWith("Hanging", "Slow", "Failing");
        assertThat(browser.barriers()).isEmpty();
    }

    /** Whoever is about to press a button presses that of the type that he has read. */
    @Test
    void rowsStayWhereTheyAreWhileSomebodyIsInOne(Site site, Browser browser) {
        site.open(browser, Place.TYPES.fragment());
        browser.click("Types"); // the pointer is not in a row
        browser.shows("Charge");
        browser.fill("Order", "busy first");
        browser.answer("GET", "safebunny/breakers", TYPES);
        browser.until("the order", () -> types(browser).subList(0, 2).equals(List.of("Busy", "Slow")));
        browser.run(Boolean.class, "document.querySelector('tbody a').focus(); return true");

        browser.answer("GET", "safebunny/breakers", TYPES.replace("80.5", "0.5"));
        browser.shows("0.5/s");
        assertThat(types(browser)).startsWith("Busy", "Slow");

        browser.run(Boolean.class, "document.activeElement.blur(); return true");
        browser.until("the order", () -> types(browser).subList(0, 3).equals(List.of("Slow", "Failing", "Busy")));
    }

    private static List<String> types(Browser browser) {
        return List.of(browser.run(
                        String.class,
                        "return [...document.querySelectorAll('tbody tr')].map(row => row.dataset.row).join()")
                .split(","));
    }

    private static String first(Browser browser) {
        return browser.run(String.class, "return document.querySelector('tbody tr').dataset.row");
    }

    /** As far as this instance counts, and this tab has seen. */
    @Test
    void howFastATypeIsHandledIsDrawnWhileSomebodyLooks(Site site, Browser browser) {
        site.open(browser, Place.TYPES.fragment());
        browser.shows("Rates and critical times are of this instance, in the last");
        Incidents.publish(site, "order-30", new ReminderDue("order-30"));

        browser.until(
                "a line that tells of it",
                () -> browser.run(String.class, """
                return document.querySelector('tr[data-row="ReminderDue"] svg')?.getAttribute('aria-label') ?? ''
                """)
                        .matches(
                                "Since .*: handled 0 to 0\\.\\d+ per second, 0\\.\\d+ at last; retried or set aside 0 to 0 per second, 0 at last\\."));
        assertThat(browser.run(String.class, "return document.querySelector('tr[data-row=\"ReminderDue\"]').innerText"))
                .contains("95 % ≤ ");
        assertThat(browser.barriers()).isEmpty();

        browser.clickIn("tr[data-row=\"ReminderDue\"]", "ReminderDue");

        browser.shows("Pace", "critical time 95 % ≤");
        assertThat(browser.run(Number.class, "return document.querySelectorAll('svg.pace').length"))
                .as("what the tab has seen on the other page")
                .isEqualTo(1L);
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aNodeWithoutSagasSaysSo(Browser browser) {
        try (Site site = Site.start(
                Variant.PLAIN, "site.sagas=false", "site.store=false", "safebunny.scheduling.enabled=false")) {
            for (String fragment : new String[] {"#/sagas", "#/sagas?state=stuck", "#/sagas/Order/order-3"}) {
                site.open(browser, fragment);
                browser.shows("Node shop has no sagas");
                assertThat(browser.text()).as(fragment).doesNotContain("SB-", "Not Found", "Loading");
            }
            site.open(browser, Place.NOW.fragment());
            browser.shows("wait in the poison queue");
            assertThat(browser.text()).doesNotContain("sagas need a repair", "sagas are blocked");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void aPauseIsNotReplacedUnasked(Site site, Browser browser) {
        BunnyOperations operations = site.bean(BunnyOperations.class);
        operations.pause("ReminderDue", Duration.ofHours(2), Scope.NODE, "the calendar is wrong", "day shift");
        site.open(browser, "#/types/ReminderDue");
        browser.shows("day shift: the calendar is wrong");
        browser.click("Pause…");
        browser.shows("It is paused already, by day shift, until", "the calendar is wrong");
        browser.fill(Dashboard.REASON, "I do not know of that one");
        browser.click("Pause");

        assertThat(until(operations)).isAfter(Instant.now().plus(Duration.ofHours(1)));

        browser.tick("Replace that pause, also if it would have been longer");
        browser.click("Pause");
        browser.shows("stored for all instances", "it has replaced the pause by day shift until");
        assertThat(until(operations)).isBefore(Instant.now().plus(Duration.ofHours(1)));
        browser.click("Close");
        operations.resume("ReminderDue", Scope.NODE, "it was a test", "a test");
    }

    private static Instant until(BunnyOperations operations) {
        return operations.paused().stream()
                .filter(pause -> pause.type().equals("ReminderDue"))
                .map(Pause::until)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatWasTypedIsThereAfterThePageIsLoadedAgain(Site site, Browser browser) {
        site.open(browser, "#/types/Charge");
        browser.click("Pause…");
        browser.fill("For how long", "3h");
        browser.fill(Dashboard.REASON, "half a sen");

        browser.reload();

        browser.shows("Pause Charge", "What you had typed is back.");
        assertThat(browser.valueOf("For how long")).isEqualTo("3h");
        assertThat(browser.valueOf(Dashboard.REASON)).isEqualTo("half a sen");
        assertThat(browser.barriers()).isEmpty();

        browser.click("Cancel");
        browser.reload();
        browser.shows("How is it handled?", "As of");
        browser.click("Pause…");
        assertThat(browser.valueOf(Dashboard.REASON)).isEmpty();
        browser.click("Cancel");
    }
}
