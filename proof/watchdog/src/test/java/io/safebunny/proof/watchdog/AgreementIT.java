// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Fault;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A page is made of several answers, and says nothing in one place that is not so any more in another. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class AgreementIT {

    private static final String SAGA = "safebunny/sagas/";
    private static final String HEADLINE = "has waited for a repair since";

    private static String saga(String id, String status, String changedAt, String rest) {
        return """
                {"sagas": [{"saga": "Order", "id": "%s", "status": "%s", "version": 3, "startedAt": "2020-01-01T00:00:00Z", "changedAt": "%s",
                    "timeouts": {}, %s}]}
                """.formatted(id, status, changedAt, rest);
    }

    private static void place(Site site, String order) {
        Incidents.publish(site, order, new PlaceOrder("a gift"));
        await().until(() -> site.bean(Sagas.class).find("Order", order).isPresent());
    }

    private static String asOf(Browser browser) {
        return browser.run(String.class, "return document.querySelector('.asof').innerText");
    }

    private static long asked(Browser browser, String what) {
        return browser.answers().stream()
                .filter(answer -> answer.path().contains(what))
                .count();
    }

    /** Its story is asked less often, and would say for seconds what the saga does not wait for any more. */
    @Test
    void aStoryIsNotShownBesideASagaThatHasChangedSince(Site site, Browser browser) {
        site.open(browser, Place.BLOCKED_SAGA.fragment());
        browser.shows(HEADLINE);
        browser.run(Boolean.class, """
                const main = document.querySelector('main');
                window.contradictions = 0;
                new MutationObserver(() => {
                    window.contradictions += main.innerText.includes('It is completed') && main.innerText.includes(arguments[0]) ? 1 : 0;
                }).observe(main, {childList: true, subtree: true, characterData: true});
                return true;
                """, HEADLINE);
        browser.answer(
                "GET",
                SAGA,
                saga(
                        "order-2",
                        "COMPLETED",
                        "2999-01-01T00:00:00Z",
                        "\"blockedOn\": [], \"steps\": [{\"name\": \"charge\", \"messageId\": \"m-1\", \"type\": \"Charge\", \"undo\": null, \"status\": \"SENT\"}], \"history\": []"));

        browser.shows("It is completed. Nothing is left", "Asking again what is going on");
        assertThat(browser.run(Number.class, "return window.contradictions").intValue())
                .isZero();
        assertThat(browser.barriers()).isEmpty();

        browser.letThrough();
        browser.shows(HEADLINE, "active blocked");
    }

    @Test
    void aSagaIsAskedAgainAtOnceIfItsStoryIsNewer(Site site, Browser browser) {
        place(site, "order-90");
        site.open(browser, "#/sagas/Order/order-90");
        browser.shows("Order order-90 of shop has been active");
        browser.answer("GET", SAGA, saga("order-90", "ACTIVE", "2020-01-01T00:00:00Z", "\"blockedOn\": []"));
        browser.shows("Asking again what is going on");
        assertThat(browser.text()).doesNotContain("has been active");

        browser.letThrough();
        browser.shows("Order order-90 of shop has been active");
    }

    /** What others have told of it as it ended is of a moment before, and says that they have not done yet what they have. */
    @Test
    void theStoryOfASagaThatHasEndedIsAskedOnceMoreSoon(Site site, Browser browser) {
        place(site, "order-93");
        site.bean(Sagas.class).fail("Order", "order-93", "nobody wants it");
        await().until(() -> site.bean(Sagas.class)
                .find("Order", "order-93")
                .filter(saga -> saga.status() == SagaStatus.FAILED)
                .isPresent());
        site.open(browser, "#/sagas/Order/order-93");
        browser.until("two stories", () -> asked(browser, "safebunnystory/order-93") > 1);

        assertThat(browser.run(Number.class, """
                const [first, second] = performance.getEntriesByType('resource').filter(one => one.name.endsWith('safebunnystory/order-93'));
                return second.startTime - first.startTime;
                """).intValue()).isLessThan(8_000);
    }

    /** Of two answers. */
    @Test
    void howOldAPageIsIsHowOldTheOlderOneIs(Site site, Browser browser) {
        site.open(browser, Place.BLOCKED_SAGA.fragment());
        browser.shows(HEADLINE);
        browser.interfere("GET", "safebunnystory", Fault.HELD);
        long asked = asked(browser, SAGA);
        browser.until("another answer", () -> asked(browser, SAGA) > asked + 1);
        String before = asOf(browser);

        browser.until("two more", () -> asked(browser, SAGA) > asked + 3);

        assertThat(asOf(browser)).isEqualTo(before).startsWith("As of ");
        assertThat(browser.text()).contains(HEADLINE);
    }

    private static final String UNDOING = """
            "blockedOn": [{"messageId": "m-1", "type": "Refund", "node": "billing", "reason": "handler-failed"}],
            "steps": [{"name": "one", "messageId": "m-0", "type": "Charge", "undo": "Refund", "status": "UNDOING"}],
            "history": [{"at": "2020-01-01T00:00:00Z", "what": "timeout payment at 2020-01-03T04:05:06.123456789Z"},
                {"at": "2020-01-02T00:00:00Z", "what": "RETRY: see `a` and `b` of 12:00:00Z"}]
            """;

    @Test
    void whichRepairToTakeIsSaidBesideThem(Site site, Browser browser) {
        place(site, "order-91");
        site.open(browser, "#/sagas/Order/order-91");
        browser.shows("Order order-91 of shop has been active");
        browser.answer("GET", SAGA, saga("order-91", "COMPENSATION_FAILED", "2020-01-02T00:00:00Z", UNDOING));

        browser.shows(
                "Retry, the usual repair: once the cause is mended; else it is set aside again",
                "Resume: if that undo or its acknowledgement is lost; for what was set aside, choose Retry",
                "Skip: if somebody has undone the step by hand");
        assertThat(browser.text())
                .as("what another node holds is not here")
                .doesNotContain("What this node has set aside with this correlation id");
        assertThat(browser.barriers()).isEmpty();
        browser.click("Retry…");
        browser.shows(
                "Will be sent again: Refund at billing. What is done already is not done again. Choose it once the cause is mended");
        browser.click("Cancel");

        site.open(browser, Place.BLOCKED_SAGA.fragment());
        browser.shows("What this node has set aside with this correlation id");
    }

    @Test
    void aHistoryHasTheTimesOfThisBrowserAndTheWordsOfItsPeople(Site site, Browser browser) {
        place(site, "order-92");
        site.open(browser, "#/sagas/Order/order-92");
        browser.shows("Order order-92 of shop has been active");
        browser.answer("GET", SAGA, saga("order-92", "ACTIVE", "2020-01-02T00:00:00Z", UNDOING));

        browser.shows("RETRY: see `a` and `b` of 12:00:00Z", "timeout payment at ");
        assertThat(browser.run(String.class, "return document.querySelector('main').textContent"))
                .doesNotContain("04:05:06.123456789Z");
        assertThat(browser.run(String.class, "return document.querySelector('svg.sequence').textContent"))
                .contains("RETRY: see `a` and `b` of 12:00:00Z");
    }
}
