// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Shop.Add;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What nobody needs any more is found among what somebody may still need, and is discarded without it. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class VerdictsIT {

    private static final String LEFT_OVER = "Only what a replay would do nothing for";

    private final Site site = Site.start(Variant.PLAIN);

    @BeforeEach
    void leaveSomething() {
        for (String order : List.of("order-1", "order-2")) {
            Incidents.publish(site, order, new PlaceOrder("a gift"));
            awaitOrder(order, SagaStatus.ACTIVE);
            Incidents.publish(site, order, new Add("a gift"));
            awaitOrder(order, SagaStatus.STUCK);
            site.bean(Sagas.class).fail("Order", order, "nobody wants it");
            awaitOrder(order, SagaStatus.FAILED);
        }
        Incidents.publish(site, "order-3", new Charge("order-3", "a gift"));
        Incidents.awaitPoison(site, 3);
    }

    @AfterEach
    void close() {
        site.close();
    }

    private void awaitOrder(String id, SagaStatus status) {
        await().until(() -> site.bean(Sagas.class)
                .find("Order", id)
                .filter(saga -> saga.status() == status)
                .isPresent());
    }

    private List<String> correlationIds() {
        return site.bean(PoisonMessages.class).list(PoisonFilter.all()).messages().stream()
                .map(PoisonedMessage::correlationId)
                .toList();
    }

    @Test
    void allThatNobodyNeedsIsDiscardedAtOnce(Browser browser) {
        site.open(browser, "#/poison");
        browser.shows("3 copies match");
        browser.click(LEFT_OVER);
        browser.shows("Poison: done", "2 copies match");
        assertThat(browser.address()).hasFragment("/poison?verdict=DONE");
        assertThat(browser.text()).doesNotContain(LEFT_OVER, "order-3");
        assertThat(browser.barriers()).isEmpty();

        new Dashboard(browser, site).moveAll("Discard", "they have ended", 2);

        browser.shows("0 copies match");
        assertThat(correlationIds()).containsExactly("order-3");
        browser.fill("A replay", "whatever");
        browser.shows("1 copy matches", "order-3");
        browser.fill("A replay", "run");
        browser.shows("Poison: run", "1 copy matches");
        assertThat(browser.address()).hasFragment("/poison?verdict=RUN");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void soIsWhatItsSagaDoesNotWantAnyMore(Browser browser) {
        Incidents.publish(site, "order-4", new PlaceOrder("a gift"));
        awaitOrder("order-4", SagaStatus.ACTIVE);
        Incidents.publish(site, "order-4", new Pay("a gift"));
        Incidents.awaitPoison(site, 4);
        site.bean(Sagas.class).fail("Order", "order-4", "nobody wants it");
        awaitOrder("order-4", SagaStatus.FAILED);
        site.open(browser, "#/poison");
        browser.click("Only what its saga does not want any more");
        browser.shows("Poison: unwanted", "1 copy matches", "order-4");

        new Dashboard(browser, site).moveAll("Discard", "it has failed", 1);

        browser.shows("0 copies match");
        assertThat(correlationIds()).doesNotContain("order-4").hasSize(3);
    }

    @Test
    void aSelectionAndAGroupOfTheseAreOfTheseAlone(Browser browser) {
        site.open(browser, "#/poison?verdict=DONE");
        browser.shows("2 copies match");
        browser.clickIn("tr[data-row^=\"Add \"]", "2");
        browser.shows("Poison: Add, handler-failed, io.safebunny.PoisonMessageException, done", "2 copies match");
        browser.click("Select all 2 below");
        browser.clickIn("[aria-label=\"Selected messages\"]", "Discard…");
        browser.clickIn("dialog", "as curl");

        browser.shows("Discard all copies of 2 messages that match the filter", "\"verdict\":\"DONE\"", "\"ids\":\"");
        assertThat(browser.barriers()).isEmpty();
    }
}
