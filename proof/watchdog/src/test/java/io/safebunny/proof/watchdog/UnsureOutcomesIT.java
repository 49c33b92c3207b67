// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Fault;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.Bank;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.Sagas;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who repairs something while its outcome is not known, or is half a success, is told so. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class UnsureOutcomesIT {

    private static final String STORY = "safebunnystory";
    private static final String NO_STORY = "{\"sentences\": [], \"nodes\": []}";

    private static String setAside(Site site, String order) {
        Incidents.publish(site, order, new Charge(order, "a gift"));
        PoisonFilter filter = PoisonFilter.all().withCorrelationId(order);
        PoisonMessages poison = site.bean(PoisonMessages.class);
        await().until(() -> poison.list(filter).messages().size() == 1);
        return poison.list(filter).messages().get(0).messageId();
    }

    private static void blocked(Site site, String order) {
        Sagas sagas = site.bean(Sagas.class);
        Incidents.publish(site, order, new PlaceOrder("a gift"));
        await().until(() -> sagas.find("Order", order).isPresent());
        Incidents.publish(site, order, new Pay("a gift"));
        await().until(() -> sagas.find("Order", order)
                .filter(saga -> !saga.blockedOn().isEmpty())
                .isPresent());
    }

    private static void carryOut(Browser browser, String action) {
        browser.click(action + "…");
        browser.fill(Dashboard.REASON, "it is mended");
        browser.click(action);
    }

    /** The level of what is said, which has its colour. */
    private static String level(Browser browser) {
        return browser.run(String.class, "return document.querySelector('dialog .outcome').dataset.level");
    }

    private static String story(String saga) {
        return """
                {"sentences": [], "nodes": [{"node": "shop", "messages": [], "sagas": [%s]}]}
                """.formatted(saga);
    }

    private static String saga(String id, String status, String blockedOn, String history) {
        return """
                {"saga": "Order", "id": "%s", "status": "%s", "steps": [], "timeouts": {}, "stuckOn": null, "blockedOn": [%s], "history": [%s]}
                """.formatted(id, status, blockedOn, history);
    }

    /** Repairs a saga of which nothing is told, and tells the id of the repair. */
    private static String repair(Site site, Browser browser, String action, String order) {
        browser.answer("GET", STORY, story(saga(order, "ACTIVE", "", "")));
        carryOut(browser, action);
        Sagas sagas = site.bean(Sagas.class);
        return await().until(
                        () -> sagas.find("Order", order).orElseThrow().history().stream()
                                .flatMap(event -> Optional.ofNullable(event.repair()).stream())
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static String event(String what) {
        return event(what, null);
    }

    private static String event(String what, @Nullable String repair) {
        return "{\"at\": \"2999-01-01T00:00:00Z\", \"what\": \"%s\"%s}"
                .formatted(what, repair == null ? "" : ", \"repair\": \"" + repair + '"');
    }

    /** Whoever repeats a repair because nothing is said of it does it twice. */
    @Test
    void aRepairThatNobodyHasHandledIsNotToBeRepeated(Site site, Browser browser) {
        blocked(site, "order-80");
        site.open(browser, "#/sagas/Order/order-80");
        browser.shows("Retry…");
        browser.answer("GET", STORY, story(saga("order-80", "ACTIVE", "", "")));
        carryOut(browser, "Retry");

        browser.shows("It is sent. The saga has not handled it yet.");
        assertThat(browser.text()).doesNotContain("Look again instead");
        browser.shows("It is sent. The saga has not handled it yet. Look again instead of repeating it.");
        assertThat(level(browser)).isEqualTo("unknown");

        browser.letThrough();
        browser.shows("It has failed again: Charge was set aside by shop");
        assertThat(level(browser)).isEqualTo("down");
    }

    @Test
    void aSagaThatRefusesARepairSaysWhy(Site site, Browser browser) {
        blocked(site, "order-81");
        site.open(browser, "#/sagas/Order/order-81");
        browser.shows("Retry…");
        String repair = repair(site, browser, "Retry", "order-81");
        browser.answer(
                "GET",
                STORY,
                story(saga("order-81", "ACTIVE", "", event("refused RETRY (it is mended): it is too late", repair))));

        browser.shows("The saga has refused it: it is too late.");
        assertThat(level(browser)).isEqualTo("down");
    }

    @Test
    void anUndoThatFailsIsNoEnd(Site site, Browser browser) {
        blocked(site, "order-82");
        site.open(browser, "#/sagas/Order/order-82");
        browser.shows("Fail…");
        String repair = repair(site, browser, "Fail", "order-82");
        String undoing = saga("order-82", "COMPENSATING", "", event("FAIL: it is mended", repair))
                .replace("\"steps\": []", """
                        "steps": [{"name": "one", "undo": "Refund", "status": "UNDONE"}, {"name": "two", "undo": "Refund", "status": "UNDOING"}]""");
        browser.answer("GET", STORY, story(undoing));
        browser.shows("The saga is being undone: 1 of 2 undos are done.");
        assertThat(level(browser)).isEqualTo("unknown");

        String refund =
                "{\"messageId\": \"m-1\", \"type\": \"Refund\", \"node\": \"billing\", \"reason\": \"handler-failed\"}";
        browser.answer(
                "GET",
                STORY,
                story(saga(
                        "order-82",
                        "COMPENSATION_FAILED",
                        refund,
                        event("FAIL: it is mended", repair) + ", "
                                + event("Refund m-1 was set aside by billing: handler-failed"))));
        browser.shows(
                "It is done, but then Refund was set aside by billing (handler-failed).",
                "The saga has failed to undo its steps (Refund at billing: handler-failed), and waits for a repair.");
        assertThat(browser.text()).doesNotContain("failed again");
        assertThat(level(browser)).isEqualTo("down");
    }

    @Test
    void whatWasSkippedIsNotCalledUndone(Site site, Browser browser) {
        blocked(site, "order-85");
        site.open(browser, "#/sagas/Order/order-85");
        browser.shows("Fail…");
        String repair = repair(site, browser, "Fail", "order-85");
        browser.answer(
                "GET",
                STORY,
                story(saga("order-85", "FAILED", "", event("FAIL: it is mended", repair))
                        .replace("\"steps\": []", """
                        "steps": [{"name": "one", "undo": "Refund", "status": "UNDONE"}, {"name": "two", "undo": "Refund", "status": "SKIPPED"}]""")));

        browser.shows("The saga has ended: failed, not undone: two (skipped).");
    }

    /** It may be handled, or lost. */
    @Test
    void whatNoRecordTellsOfIsNoSuccess(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            String id = setAside(site, "order-83");
            site.bean(Bank.class).open();
            site.open(browser, "#/poison/" + id);
            browser.shows("the bank is closed");
            browser.answer("GET", STORY, NO_STORY);
            carryOut(browser, "Replay");

            browser.shows("It is sent, and not handled yet.");
            browser.shows("It is not in the poison queue any more. No record tells whether it was handled.");
            assertThat(level(browser)).isEqualTo("unknown");
        }
    }

    /** With the message sent, and its story not told. */
    @Test
    void whoeverIsLoggedOutOrHearsNothingIsToldSoAndThenTheTruth(Browser browser) {
        try (Site site = Site.start(Variant.SECURED)) {
            String id = setAside(site, "order-84");
            site.open(browser, "#/poison/" + id);
            browser.shows("the bank is closed");
            browser.interfere("GET", STORY, Fault.NEVER);
            carryOut(browser, "Replay");

            browser.shows("It is sent. Nobody knows yet what came of it (No answer");
            assertThat(level(browser)).isEqualTo("unknown");
            site.expire(browser);
            browser.letThrough();
            browser.shows("It is sent. Nobody knows yet what came of it (Logged out");
            assertThat(level(browser)).isEqualTo("unknown");

            browser.inAnotherTab(() -> site.open(browser, Place.NOW.fragment()));
            browser.shows("It is in the poison queue again");
            assertThat(level(browser)).isEqualTo("down");
        }
    }

    private static final String PARTIAL = """
            {"operation": "o-1", "kind": "%s", "state": "ENDED", "dryRun": false, "matched": 3, "moved": %d, "verdicts": {"RUN": 1, "BUSY": 2},
                "refusals": [{"messageId": "m-1", "type": "Charge", "verdict": "BUSY", "explanation": "It is being handled."}]}
            """;

    private static void moveAll(Browser browser, String action, int moved) {
        browser.answer("POST", "safebunnypoison", PARTIAL.formatted(action.toUpperCase(Locale.ROOT), moved));
        browser.click(action + "…");
        browser.tick("Dry run: only count what would be moved");
        browser.fill(Dashboard.REASON, "it is mended");
        browser.click(action);
    }

    @Test
    void whatWasNotMovedIsSaid(Site site, Browser browser) {
        site.open(browser, Place.POISON.fragment());
        browser.shows("Discard…");
        moveAll(browser, "Discard", 0);
        browser.shows(
                "Nothing was moved. It is being handled.",
                "Moved 0 of 3 that matched. What a replay would do: 1 run (its handler runs), 2 busy (it is being handled");
        assertThat(level(browser)).isEqualTo("down");
        browser.click("Close");

        moveAll(browser, "Discard", 1);
        browser.shows(
                "Not moved: 2, the first is Charge m-1. It is being handled.",
                "Moved 1 of 3 that matched. What a replay would do: 1 run (its handler runs), 2 busy (");
        assertThat(level(browser)).isEqualTo("unknown");
        browser.click("Close");

        moveAll(browser, "Replay", 1);
        browser.shows(
                "1 are sent back",
                "Not moved: 2, the first is Charge m-1. It is being handled.",
                "comes back to the poison queue");
        assertThat(level(browser)).isEqualTo("unknown");
        browser.click("Close");
    }
}
