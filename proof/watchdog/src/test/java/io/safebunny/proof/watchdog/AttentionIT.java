// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.Bank;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.Sagas;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What needs a person is first, is red, and is one click away; what needs nobody looks so. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class AttentionIT {

    private static final String RED = "rgb(164, 14, 38)";
    private static final String TEXT = "rgb(27, 31, 36)";
    private static final String ENDLESS = "Then nothing is known to come";

    private static void place(Site site, String order) {
        Incidents.publish(site, order, new PlaceOrder("a gift"));
        await().until(() -> site.bean(Sagas.class).find("Order", order).isPresent());
    }

    private static String rows(Browser browser) {
        return browser.run(
                String.class, "return [...document.querySelectorAll('tbody tr')].map(row => row.dataset.row).join()");
    }

    private static String saga(String id, String status, String changedAt, String timeout) {
        return """
                {"saga": "Order", "id": "%s", "status": "%s", "reason": null, "startedAt": "2020-01-01T00:00:00Z", "changedAt": "%s",
                    "blockedOn": [], "stuckOn": null, "timeouts": {"payment": "%s"}}
                """.formatted(id, status, changedAt, timeout);
    }

    private static String list(String... sagas) {
        return "{\"sagas\": [%s], \"scanned\": 0, \"next\": null}".formatted(String.join(",", sagas));
    }

    @Test
    void sagasBeginWithThoseThatNeedAttention(Site site, Browser browser) {
        place(site, "order-70");
        site.open(browser, "#/sagas");

        browser.shows("order-3", "order-2", "active blocked", "shop has set aside Charge: handler-failed");
        assertThat(browser.text()).as("how many there are is said by the list").doesNotContain("Need a repair:");
        assertThat(rows(browser)).doesNotContain("order-70");
        assertThat(rows(browser).indexOf("order-3")).isLessThan(rows(browser).indexOf("order-2"));
        assertThat(browser.barriers()).isEmpty();

        browser.click("All that run");
        browser.shows("Sagas: running", "order-70");
        assertThat(browser.address()).hasFragment("/sagas?state=running");
        assertThat(rows(browser)).doesNotContain("order-3");
        browser.fill("State", "need attention");
        browser.shows("order-3");
        assertThat(browser.address()).hasFragment("/sagas?state=attention");
        browser.click("all sagas");
        browser.shows("Sagas: all", "order-3", "order-70", "Need a repair:", "the list below is of now");
        assertThat(browser.text()).doesNotContain("lease");
        assertThat(browser.complaints()).isEmpty();
    }

    /** One whose timeout is long due, or whose undo takes long. */
    @Test
    void lateSagasNeedAttention(Site site, Browser browser) {
        site.open(browser, Place.NOW.fragment());
        browser.shows("Is anything stuck?");
        String now = Instant.now().toString();
        String later = "2999-01-01T00:00:00Z";
        browser.answer(
                "GET",
                "state=running",
                list(
                        saga("late-1", "ACTIVE", now, "2020-01-03T00:00:00Z"),
                        saga("early-1", "ACTIVE", "2020-01-01T00:00:00Z", later),
                        saga("late-2", "COMPENSATING", "2020-01-01T00:00:00Z", later),
                        saga("early-2", "COMPENSATING", now, later)));

        browser.click("Sagas");

        browser.shows("late-1 active late", "late-2 compensating late");
        assertThat(rows(browser)).doesNotContain("early").endsWith("Order late-1,Order late-2");
    }

    @Test
    void ifNoSagaNeedsAttentionThoseThatRunAreShown(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            place(site, "order-71");
            site.open(browser, "#/sagas");

            browser.shows("No saga needs attention. These are running:", "Running sagas, the oldest first", "order-71");
            assertThat(browser.barriers()).isEmpty();

            browser.answer(
                    "GET",
                    "state=running",
                    list(saga("early", "ACTIVE", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"))
                            .replace("\"next\": null", "\"next\": \"more\""));
            browser.shows(
                    "No saga that was looked at needs attention; there are more than were looked at. These are running:");
        }
    }

    @Test
    void onlyWhatNeedsAPersonIsRed(Site site, Browser browser) {
        site.open(browser, Place.NOW.fragment());
        browser.shows("Is anything stuck?");
        String at = "2020-01-01T00:00:00Z";
        browser.answer(
                "GET",
                "safebunny/sagas?state",
                list(saga("undone", "FAILED", at, at), saga("broken", "COMPENSATION_FAILED", at, at)));
        browser.run(Boolean.class, "location.hash = '#/sagas?state=all'; return true");
        browser.shows("undone failed", "broken compensation failed");

        assertThat(colourOf(browser, "undone")).isEqualTo(TEXT);
        assertThat(colourOf(browser, "broken")).isEqualTo(RED);
    }

    private static String colourOf(Browser browser, String id) {
        return browser.run(
                String.class,
                "return getComputedStyle(document.querySelector('tr[data-row=\"Order %s\"] .badge')).color"
                        .formatted(id));
    }

    @Test
    void aTypeThatIsHandledIsCalledSo(Site site, Browser browser) {
        site.open(browser, Place.TYPES.fragment());
        browser.shows("Charge");

        String badges = "return [...document.querySelectorAll('.badge')].map(one => one.innerText).sort().join()";
        assertThat(browser.run(String.class, badges))
                .contains("handled", "not handled")
                .doesNotContain("closed", "open");
    }

    private static final String NOW = """
            {"asOf": "2026-01-01T00:00:00Z", "level": "DEGRADED", "words": ["Nobody knows the rest.", "It rains.", "3 sagas need a repair."],
                "parts": [{"part": "poison", "level": "UNKNOWN", "words": "Nobody knows the rest.", "page": "#/poison"},
                    {"part": "sagas", "level": "DEGRADED", "words": "3 sagas need a repair.", "page": "#/sagas"},
                    {"part": "sky", "level": "DEGRADED", "words": "It rains.", "page": "javascript:attack()"}]}
            """;

    @Test
    void eachSentenceOfNowLeadsToItsRepair(Site site, Browser browser) {
        site.open(browser, Place.NOW.fragment());
        browser.shows("set aside, in queue shop-poison");
        assertThat(browser.text()).doesNotContain("lease");
        assertThat(browser.run(String.class, "return document.querySelector('.tile').innerText"))
                .contains("sagas need a repair");
        browser.clickIn(".verdict", "See Poison");
        browser.shows("What failed, grouped?");
        browser.click("Now");
        browser.shows("set aside, in queue shop-poison");
        assertThat(browser.run(Boolean.class, """
                const lines = [...document.querySelectorAll('.verdict li')];
                return lines.length > 1 && lines.every(line => line.querySelector('a[href^="#/"]'));
                """)).isTrue();
        browser.answer("GET", "safebunny/now", NOW);
        browser.shows("3 sagas need a repair. See Sagas It rains. Nobody knows the rest. See Poison");
        assertThat(browser.run(String.class, "return document.querySelector('.verdict li.hint').innerText"))
                .as("small")
                .startsWith("Nobody knows the rest.");
        assertThat(browser.run(
                        String.class,
                        "return [...document.querySelectorAll('.verdict a')].map(one => one.innerText).join()"))
                .as("a link that leads nowhere, or is a sentence")
                .isEqualTo("See Sagas,See Poison");
        assertThat(browser.barriers()).isEmpty();

        browser.clickIn(".verdict", "See Sagas");

        browser.shows("Where are they, and who is late?", "stuck on Add");
    }

    @Test
    void aStepTellsWhetherItIsDone(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            site.bean(Bank.class).open();
            place(site, "order-72");
            Incidents.publish(site, "order-72", new Pay("a gift"));
            await().until(() -> site.bean(Bank.class).charged().contains("order-72"));
            site.open(browser, "#/sagas/Order/order-72");

            browser.shows("charge Charge completed");
        }
    }

    @Test
    void aStepThatWasSetAsideHasFailed(Site site, Browser browser) {
        site.open(browser, Place.BLOCKED_SAGA.fragment());

        browser.shows("charge Charge failed");
        browser.click("Skip…");
        browser.shows("charge (failed)");
        assertThat(browser.text()).doesNotContain("Its command was set aside.");
        browser.fill("Step", "charge");
        browser.shows(
                "Its command was set aside. Discard that: a forced replay by id or verdict does it all the same.");
        browser.click("Cancel");
    }

    /** What somebody came for is there before the story, in which he reads why. */
    @Test
    void onAPhoneTheUsualRepairIsSeenAtOnce(Site site, Browser browser) {
        for (Place place : new Place[] {Place.STUCK_SAGA, Place.BLOCKED_SAGA}) {
            browser.inAWindow(390, 844);
            site.open(browser, place.fragment());
            browser.shows("The whole story");

            assertThat(browser.run(Number.class, """
                    scrollTo(0, 0);
                    return document.querySelector('main button.usual').getBoundingClientRect().bottom;
                    """).intValue())
                    .as(place.name())
                    .isLessThan(844);
            assertThat(browser.barriers()).isEmpty();
            browser.inAWindow(1280, 844);
            browser.until("the story before it", () -> browser.run(Boolean.class, """
                    const [told, usual] = ['[aria-label="In words"]', 'main button.usual'].map(one => document.querySelector(one));
                    return (told.compareDocumentPosition(usual) & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
                    """));
        }
    }

    @Test
    void whoeverResumesWhatWouldWaitForNothingIsWarned(Site site, Browser browser) {
        site.open(browser, Place.STUCK_SAGA.fragment());
        browser.click("Resume…");

        browser.shows(ENDLESS, "no step is open, and it has no timeout");
        assertThat(browser.barriers()).isEmpty();
        browser.click("Cancel");
    }

    private static final String TWO_STEPS = """
            {"sagas": [{"saga": "Order", "id": "order-73", "status": "ACTIVE", "version": 3, "startedAt": "2020-01-01T00:00:00Z",
                "changedAt": "2020-01-02T00:00:00Z", "blockedOn": [], "timeouts": {}, "history": [], "steps": [
                    {"name": "one", "messageId": "m-1", "type": "Charge", "undo": null, "status": "SENT"}%s]}]}
            """;
    private static final String SECOND =
            ", {\"name\": \"two\", \"messageId\": \"m-2\", \"type\": \"Charge\", \"undo\": null, \"status\": \"SENT\"}";

    @Test
    void whoeverSkipsTheLastOpenStepIsWarned(Site site, Browser browser) {
        place(site, "order-73");
        site.open(browser, "#/sagas/Order/order-73");
        browser.shows("It has sent no step.");
        browser.answer("GET", "safebunny/sagas/order-73", TWO_STEPS.formatted(SECOND));
        browser.shows("two");
        browser.click("Skip…");
        browser.fill("Step", "one");
        browser.shows("You say that this step need not be undone");
        assertThat(browser.text()).doesNotContain(ENDLESS);
        browser.click("Cancel");

        browser.answer("GET", "safebunny/sagas/order-73", TWO_STEPS.formatted(""));
        browser.hides("two");
        browser.click("Skip…");
        assertThat(browser.text()).doesNotContain(ENDLESS);
        browser.fill("Step", "one");

        browser.shows(ENDLESS);
        browser.click("Cancel");
    }
}
