// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Fault;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Shop.Add;
import io.safebunny.proof.watchdog.site.Shop.Bank;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the page says after something was done is as new as it looks, names where more is told, and what is left over. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class AfterwardsIT {

    private static final String TOLD = "what fails again is set aside again. Its story tells what has come of it.";

    /** Whether the page says that its answer came in this minute, or the one before it. */
    private static final String IS_READ_NOW = """
            const minute = ago => new Date(Date.now() - ago).toLocaleTimeString().replace(/:\\d\\d\\D*$/, '');
            const said = document.querySelector('.asof').innerText;
            return [0, 60_000].some(ago => said.startsWith(`Read at ${minute(ago)}`));
            """;

    private final Site site = Site.start(Variant.PLAIN);

    @AfterEach
    void close() {
        site.close();
    }

    private String setAside(String order) {
        Incidents.publish(site, order, new Charge(order, "a gift"));
        return onlyOne(order);
    }

    private String onlyOne(String order) {
        PoisonFilter filter = PoisonFilter.all().withCorrelationId(order);
        PoisonMessages poison = site.bean(PoisonMessages.class);
        await().until(() -> poison.list(filter).messages().size() == 1);
        return poison.list(filter).messages().get(0).messageId();
    }

    private void awaitOrder(String id, Predicate<SagaView> condition) {
        await().until(() ->
                site.bean(Sagas.class).find("Order", id).filter(condition).isPresent());
    }

    private void place(String order) {
        Incidents.publish(site, order, new PlaceOrder("a gift"));
        awaitOrder(order, saga -> true);
    }

    private static void confirm(Browser browser, String action) {
        browser.fill(Dashboard.REASON, "it is mended");
        browser.click(action);
    }

    @Test
    void aReplayNamesWhereItsOutcomeIsTold(Browser browser) {
        String id = setAside("order-1");
        site.open(browser, "#/poison/" + id);
        browser.click("Replay…");
        confirm(browser, "Replay");
        browser.shows(TOLD);
        assertThat(browser.barriers()).isEmpty();

        browser.click("Its progress, and what was not moved");

        browser.shows("Moved 1 of 1 that were looked at.", TOLD);
        browser.click("Its story");
        browser.shows("Story: " + id, "the bank is closed");

        site.open(browser, "#/poison");
        browser.shows("1 copy matches");
        browser.click("Replay…");
        confirm(browser, "Count only");
        browser.shows("It would have moved 1 of 1 that matched. What a replay would do: 1 run (its handler runs).");
        assertThat(browser.text()).doesNotContain("what fails again");
        browser.click("Replay now");
        browser.shows(
                "Moved 1 of 1 that matched. What the replay does: 1 run (its handler runs).",
                "GET safebunnypoison lists what was set aside again");
    }

    @Test
    void soDoesAReplayFromTheSagaThatIsStuck(Browser browser) {
        place("order-2");
        Incidents.publish(site, "order-2", new Add("a gift"));
        onlyOne("order-2");
        site.open(browser, "#/sagas/Order/order-2");
        browser.click("Replay…");
        confirm(browser, "Replay");

        browser.shows("It has failed again", TOLD);
    }

    /** What is handled stays so: a story that is older than the saga is good enough for that. */
    @Test
    void aStepThatIsDoneIsNeverSaidToBeOnItsWay(Browser browser) {
        site.bean(Bank.class).open();
        place("order-3");
        Incidents.publish(site, "order-3", new Pay("a gift"));
        awaitOrder("order-3", saga -> !saga.steps().isEmpty());
        site.open(browser, "#/sagas/Order/order-3");
        browser.shows("charge Charge completed");
        browser.interfere("GET", "safebunnystory", Fault.HELD);
        Incidents.publish(site, "order-3", new Add("a gift"));

        browser.shows("Asking again what is going on", "charge Charge completed", "stuck since");
        browser.letThrough();
        browser.shows("Order order-3 of shop has been stuck since");
    }

    /** That a message is not there is an answer, and as new as any. */
    @Test
    void whatIsGoneWasLookedAtJustNow(Browser browser) {
        String id = setAside("order-4");
        site.open(browser, "#/poison/" + id);
        browser.click("Discard…");
        confirm(browser, "Discard");
        browser.shows("Its progress");
        browser.click("Close");
        new Dashboard(browser, site).looksUntil("It was discarded, and is in the archive");

        for (int look = 0; look < 3; look++) {
            browser.passTime(Duration.ofMinutes(2));
            browser.click("Look again");
            browser.until("an answer of now", () -> browser.run(Boolean.class, IS_READ_NOW));
        }
        assertThat(browser.text()).doesNotContain("too old to act upon");
    }

    private void moves(BiFunction<PoisonMessages, PoisonRequest, PoisonOperation> how, String order, String reason) {
        PoisonOperation operation = how.apply(
                site.bean(PoisonMessages.class),
                PoisonRequest.of(PoisonFilter.all().withCorrelationId(order), "ann", reason));
        await().until(() -> operation.progress().moved() == 1);
    }

    /** There is nothing to replay until then. */
    @Test
    void whatASagaIsStuckOnIsToBeRestoredIfSomebodyHasDiscardedIt(Browser browser) {
        place("order-6");
        Incidents.publish(site, "order-6", new Add("a gift"));
        onlyOne("order-6");
        site.open(browser, "#/sagas/Order/order-6");
        browser.shows("Replay, the usual repair");
        moves(PoisonMessages::discard, "order-6", "by mistake");

        browser.shows("Restore, the usual repair", "which shop has set aside and somebody has discarded, or resumes");
        browser.hides("Replay…");
        browser.click("Restore…");
        confirm(browser, "Restore");
        browser.shows("Its progress");
        browser.click("Close");
        browser.shows("Replay, the usual repair");
    }

    /** The record of the message is the same, however many copies there are. */
    @Test
    void aSecondCopyOfWhatWasHandledIsLeftOver(Browser browser) {
        place("order-7");
        Incidents.publish(site, "order-7", new Pay("a gift"));
        String id = onlyOne("order-7");
        awaitOrder("order-7", saga -> !saga.blockedOn().isEmpty());
        site.bean(Sagas.class).by("ann").retry("Order", "order-7", "once more");
        PoisonFilter filter = PoisonFilter.all().withCorrelationId("order-7");
        await().until(() ->
                site.bean(PoisonMessages.class).list(filter).messages().size() == 2);
        site.bean(Bank.class).open();
        moves(PoisonMessages::replay, "order-7", "the bank is open");
        await().until(() -> site.bean(Bank.class).charged().contains("order-7"));
        site.open(browser, "#/sagas/Order/order-7");

        browser.shows(
                "Left over: Charge " + id + " is in the poison queue. It was handled, by another copy: discard it.",
                "by ann (\"once more\")",
                "RETRY: once more ann");
        assertThat(browser.barriers()).isEmpty();
    }

    /** A saga whose undo has failed, with what was left at another node before. */
    private static final String UNDOING = """
            const real = window.fetch;
            const saga = {saga: 'Order', id: 'order-5', status: 'COMPENSATION_FAILED', version: 3, startedAt: '2020-01-01T00:00:00Z',
                changedAt: '2020-01-02T00:00:00Z', timeouts: {}, history: [], steps: [],
                blockedOn: [{messageId: 'm-2', type: 'Refund', node: 'billing', reason: 'handler-failed'}]};
            const message = {id: 'm-1', type: 'Invoice', state: 'SET_ASIDE', failures: []};
            const story = {id: 'order-5', asOf: '2020-01-02T00:00:00Z', sentences: ['It waits.'],
                nodes: [{node: 'shop', sagas: [saga], messages: []}, {node: 'billing', sagas: [], messages: [message]}],
                next: [{why: 'discard it', node: 'billing', curl: 'curl m-1 "action":"discard"'}]};
            const answers = {'safebunny/sagas/order-5': {sagas: [saga]}, safebunnystory: story};
            window.fetch = (address, options) => {
                const found = Object.keys(answers).find(part => String(address).includes(part));
                return found
                    ? Promise.resolve(new Response(JSON.stringify(answers[found]), {status: 200, headers: {'Content-Type': 'application/json'}}))
                    : real(address, options);
            };
            location.hash = '#/sagas/Order/order-5';
            return true;
            """;

    @Test
    void whatASagaLeavesThatIsBeingUndoneIsNamed(Browser browser) {
        site.open(browser, "#/now");
        browser.shows("Is anything stuck?");
        browser.run(Boolean.class, UNDOING);

        browser.shows(
                "Left over at billing, unless somebody has discarded it: Invoice m-1. Its saga has failed, and takes no more of these: discard it.",
                "Retry, the usual repair");
        assertThat(browser.barriers()).isEmpty();
    }
}
