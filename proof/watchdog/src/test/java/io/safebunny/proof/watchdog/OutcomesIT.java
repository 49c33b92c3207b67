// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.Add;
import io.safebunny.proof.watchdog.site.Shop.Bank;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who repairs something is told what came of it, and nothing that went wrong looks like success. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class OutcomesIT {

    private static final String RED = "rgb(164, 14, 38)";
    private static final String GREEN = "rgb(17, 99, 41)";

    private static void carryOut(Browser browser, String action) {
        browser.click(action + "…");
        confirm(browser, action);
    }

    private static void confirm(Browser browser, String action) {
        browser.fill(Dashboard.REASON, "it is mended");
        browser.click(action);
    }

    /** The colour beside what is said. */
    private static String colour(Browser browser) {
        return browser.run(
                String.class, "return getComputedStyle(document.querySelector('dialog .outcome')).borderLeftColor");
    }

    private static String setAside(Site site, String correlationId) {
        PoisonFilter filter = PoisonFilter.all().withCorrelationId(correlationId);
        PoisonMessages poison = site.bean(PoisonMessages.class);
        await().until(() -> poison.list(filter).messages().size() == 1);
        return poison.list(filter).messages().get(0).messageId();
    }

    private static void awaitOrder(Site site, String id, Predicate<SagaView> condition) {
        await().until(() ->
                site.bean(Sagas.class).find("Order", id).filter(condition).isPresent());
    }

    private static void stuck(Site site, String order) {
        Incidents.publish(site, order, new PlaceOrder("a gift"));
        awaitOrder(site, order, saga -> true);
        Incidents.publish(site, order, new Add("a gift"));
        awaitOrder(site, order, saga -> saga.status() == SagaStatus.STUCK);
    }

    private static void blocked(Site site, String order) {
        Incidents.publish(site, order, new PlaceOrder("a gift"));
        awaitOrder(site, order, saga -> true);
        Incidents.publish(site, order, new Pay("a gift"));
        awaitOrder(site, order, saga -> !saga.blockedOn().isEmpty());
    }

    @Test
    void aReplayThatFailsAgainIsToldInRed(Site site, Browser browser) {
        Incidents.publish(site, "order-50", new Charge("order-50", "a gift"));
        String id = setAside(site, "order-50");
        site.open(browser, "#/poison/" + id);
        carryOut(browser, "Replay");

        browser.shows(
                "It has failed again: the same exception, IllegalStateException: the bank is closed",
                "It is in the poison queue again.");
        assertThat(colour(browser)).isEqualTo(RED);
        assertThat(browser.barriers()).isEmpty();
        assertThat(browser.complaints()).isEmpty();

        browser.click("Close");
        browser.shows("Message " + id, "the bank is closed");
        browser.click("order-50");
        browser.shows("Story: order-50", "the bank is closed");
    }

    @Test
    void aReplayThatIsHandledIsNoFaultOfThePage(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            Incidents.publish(site, "order-51", new Charge("order-51", "a gift"));
            String id = setAside(site, "order-51");
            site.bean(Bank.class).open();
            site.open(browser, "#/poison/" + id);
            browser.click("Replay…");
            assertThat(browser.text()).contains("required");
            confirm(browser, "Replay");

            browser.shows("It is handled.");
            assertThat(colour(browser)).isEqualTo(GREEN);
            browser.click("Close");

            browser.shows("It was replayed and is not in the poison queue any more.", "shop has handled", "Its story");
            assertThat(browser.text()).doesNotContain("Not Found");
            assertThat(browser.barriers()).isEmpty();
            browser.click("Its story");
            browser.shows("Story: " + id, "shop has handled");

            site.open(browser, "#/poison/nobody-knows");
            browser.shows("It is not in the poison queue: it was replayed, or was never set aside here.");
            assertThat(browser.text()).doesNotContain("Not Found");
        }
    }

    /** A message that cannot even be read has no record that could tell. */
    @Test
    void withoutARecordThePoisonQueueTells(Site site, Browser browser) {
        Incidents.publish(site, "order-59", new Charge("order-59", "a gift"));
        String id = setAside(site, "order-59");
        site.open(browser, "#/poison/" + id);
        browser.shows("the bank is closed");
        browser.answer("GET", "safebunnystory", "{\"sentences\": [], \"nodes\": []}");
        carryOut(browser, "Replay");

        browser.shows("It is sent, and not handled yet.");
        assertThat(colour(browser)).isNotIn(GREEN, RED);
        browser.shows("It is in the poison queue again: handler-failed (IllegalStateException: the bank is closed");
        assertThat(colour(browser)).isEqualTo(RED);
    }

    @Test
    void theFirstRepairOfAStuckSagaIsTheReplay(Site site, Browser browser) {
        stuck(site, "order-52");
        site.open(browser, "#/sagas/Order/order-52");
        browser.shows(
                "Order order-52 of shop has been stuck since",
                "The whole story",
                "the usual repair",
                "It takes no message until");
        assertThat(browser.run(
                        String.class,
                        "return [...document.querySelectorAll('main section, main .buttons button')].slice(0, 3)"
                                + ".map(one => one.getAttribute('aria-label')).join('; ')"))
                .startsWith("In words; Why it is stuck; Replay Add ");
        assertThat(browser.barriers()).isEmpty();
        carryOut(browser, "Replay");

        browser.shows(
                "It has failed again: the same exception, PoisonMessageException",
                "Replay it once more only when the cause is mended. If it cannot be mended: resume the saga without the message, or fail the saga.");
        assertThat(colour(browser)).isEqualTo(RED);
        browser.click("Close");
        browser.shows("somebody has replayed", "it failed again", "Replay it again only once the cause is mended");
        assertThat(browser.text())
                .doesNotContain("the usual repair", "Replay it once more only") // said by its story
                .contains("Resume: only if the saga can do without Add; otherwise mend the cause, and then replay it");
        assertThat(browser.barriers()).isEmpty();
        carryOut(browser, "Resume");

        browser.shows("The saga is active. It takes messages again, and has taken none yet.");
        assertThat(colour(browser)).isNotIn(GREEN, RED);
    }

    /** What it was stuck on has come, and may be all that it waits for. */
    @Test
    void whatASagaWasResumedWithoutCanBeReplayed(Site site, Browser browser) {
        stuck(site, "order-58");
        String id = setAside(site, "order-58");
        site.open(browser, "#/sagas/Order/order-58");
        carryOut(browser, "Resume");
        browser.shows("The saga is active.");
        browser.click("Close");

        browser.shows(
                "active idle",
                "Not taken: Add " + id + " is in the poison queue. The saga may wait for it: replay it",
                "Replay, the usual repair: once the cause is mended");
        assertThat(browser.text()).doesNotContain("No message that it waits for");
        assertThat(browser.barriers()).isEmpty();
        carryOut(browser, "Replay");

        browser.shows("It has failed again: the same exception, PoisonMessageException");
        browser.click("Close");
        browser.shows("Order order-58 of shop has been stuck since");
        assertThat(browser.text()).doesNotContain("Not taken: ");
    }

    /** Neither by an id alone, nor in another list than the one of which they are counted. */
    @Test
    void aListSaysOnWhatASagaIsStuck(Site site, Browser browser) {
        stuck(site, "order-56");
        site.open(browser, "#/sagas?state=stuck");
        browser.shows("order-56", "stuck on Add: PoisonMessageException");

        browser.clickIn("tr[data-row=\"Order order-56\"]", "order-56");

        browser.shows("Order order-56", "It takes no message until");
        site.open(browser, "#/sagas?state=stuck");
        browser.answer("GET", "safebunny/sagas?state", UNDONE);
        browser.shows("compensation failed (Refund at billing: handler-failed); it failed because: nobody has paid");
    }

    private static final String UNDONE = """
            {"sagas": [{"saga": "Order", "id": "order-57", "status": "COMPENSATION_FAILED", "reason": "nobody has paid",
                "startedAt": "2020-01-01T00:00:00Z", "changedAt": "2020-01-02T00:00:00Z", "timeouts": {},
                "blockedOn": [{"messageId": "m-1", "type": "Refund", "node": "billing", "reason": "handler-failed"}]}]}
            """;

    private static final String LEFT = """
            {"operation": "o-1", "kind": "REPLAY", "state": "ENDED", "dryRun": true, "matched": 2, "moved": 0, "wouldMove": 1, "verdicts": {"RUN": 1},
                "refusals": [{"messageId": "m-1", "type": "Charge", "verdict": "RUN", "explanation": "It is handled."}]}
            """;

    @Test
    void anOperationExplainsItsVerdicts(Site site, Browser browser) {
        site.open(browser, Place.NOW.fragment());
        browser.shows("Is anything stuck?");
        browser.answer("GET", "safebunny/operations/o-1", LEFT);
        browser.run(Boolean.class, "location.hash = '#/operations/o-1'; return true");

        browser.shows(
                "Would have moved 1 of 2 that were looked at. ended",
                "Another copy of this message is moved: one is enough.",
                "What a replay would do: run: its handler runs.");
        assertThat(browser.text()).doesNotContain("It is handled.");
    }

    private static final String DUE = """
            {"sagas": [{"saga": "Order", "id": "order-53", "status": "STUCK", "version": 3,
                "startedAt": "2020-01-01T00:00:00Z", "changedAt": "2020-01-02T00:00:00Z", "blockedOn": [], "steps": [],
                "stuckOn": {"messageId": "m-1", "node": "shop", "since": "2020-01-02T00:00:00Z", "type": "Add"},
                "timeouts": {"payment": "2020-01-03T00:00:00Z"}, "history": []}]}
            """;

    @Test
    void resumingSaysWhatItMeans(Site site, Browser browser) {
        stuck(site, "order-53");
        site.open(browser, "#/sagas/Order/order-53");
        browser.shows("It takes no message until");
        browser.answer("GET", "safebunny/sagas/order-53", DUE);
        browser.shows(", runs when the saga goes on", "timeout payment is due");
        assertThat(browser.text()).doesNotContain("over for", "not over");

        browser.click("Resume…");

        browser.shows(
                "It will take messages again. Add m-1 is left out: it stays in the poison queue of shop",
                "Timeout payment is due: it runs at once when the saga goes on. It may cancel what you want to be finished, and that cannot be taken back.",
                "Choose it only if the saga can do without Add; otherwise replay it.");
        assertThat(browser.run(String.class, "return document.querySelector('dialog [data-action=confirm]').className"))
                .isEqualTo("danger");
        assertThat(browser.text()).doesNotContain("Then nothing is known to come");
        browser.click("Cancel");
        browser.click("Fail…");
        browser.shows("Ends the saga as failed", "It cannot be taken back.");
        assertThat(browser.run(String.class, "return document.querySelector('dialog [data-action=confirm]').className"))
                .isEqualTo("danger");
    }

    private static final String INSTEAD =
            "Retry it once more only when the cause is mended. If it cannot be mended: fail the saga.";

    @Test
    void aRetryIsOnItsWayUntilItIsAnswered(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            blocked(site, "order-54");
            site.open(browser, "#/sagas/Order/order-54");
            carryOut(browser, "Retry");

            browser.shows("It has failed again: Charge was set aside by shop (handler-failed).");
            assertThat(browser.run(String.class, "return document.querySelector('dialog .came').innerText"))
                    .endsWith(INSTEAD);
            assertThat(colour(browser)).isEqualTo(RED);
            browser.click("Close");
            browser.shows(INSTEAD, "Retry: once the cause is mended");
            assertThat(browser.text()).doesNotContain("the usual repair");
            assertThat(browser.barriers()).isEmpty();
            site.bean(Bank.class).open();
            browser.click("Retry…");
            browser.shows("Will be sent again: Charge at shop.");
            browser.fill(Dashboard.REASON, "the bank is open");
            browser.click("Retry");

            browser.shows("Charge is handled by shop. The saga is active.");
            browser.click("Close");
            browser.shows("It was sent again", "is not answered yet");
            assertThat(browser.has("Retry…")).isFalse();
            assertThat(browser.barriers()).isEmpty();
        }
    }

    @Test
    void aSagaThatHasEndedAsFailedIsNoSuccess(Site site, Browser browser) {
        blocked(site, "order-55");
        site.open(browser, "#/sagas/Order/order-55");
        browser.click("Fail…");
        browser.shows("There is nothing to undo. Without an undo, and left as they are: charge.");
        confirm(browser, "Fail");

        browser.shows("The saga has ended: failed, what has an undo is undone; not undone: charge (has no undo)");
        assertThat(colour(browser)).isNotIn(GREEN, RED);
        browser.click("Close");

        browser.shows("Left over: Charge", "is in the poison queue. Its saga has ended: discard it.");
        assertThat(browser.barriers()).isEmpty();
        browser.click("The whole story");
        browser.shows("set aside by shop, and left over: discard it if nobody has");
    }

    /** It is in the poison queue for ever, if nobody says so. */
    @Test
    void whatIsLeftOfASagaThatHasEndedIsToBeDiscarded(Site site, Browser browser) {
        stuck(site, "order-57");
        String id = setAside(site, "order-57");
        site.open(browser, "#/sagas/Order/order-57");
        carryOut(browser, "Fail");
        browser.shows("The saga has ended: failed, there was nothing to undo.");
        browser.click("Close");
        browser.shows("Left over: Add " + id);

        browser.clickIn("p.rights", id);

        browser.shows("Message " + id, "Left over: ", "a replay does nothing, so discard it.");
        assertThat(
                        browser.run(
                                String.class,
                                "return [...document.querySelectorAll('.copy .buttons button')].map(one => one.innerText).join()"))
                .isEqualTo("Discard…,Replay…");
        assertThat(browser.barriers()).isEmpty();

        carryOut(browser, "Discard");
        browser.shows("Its progress");
        browser.click("Close");
        new Dashboard(browser, site).looksUntil("It was discarded, and is in the archive");
        site.open(browser, "#/sagas/Order/order-57");
        browser.shows("Nothing is left to resume", "was discarded at", "in the archive", "The whole story");
        assertThat(browser.text()).doesNotContain("Left over: ");
    }
}
