// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.StoreSwitch;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.test.broker.TestBroker;
import io.safebunny.test.process.Ports;
import io.safebunny.test.proxy.TcpProxy;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Something is away: the page says so, still shows what it knew, and goes on by itself when it is back. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class OutageIT {

    @Test
    void theStoreIsAway(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            dashboard.open(Place.STUCK_SAGA);

            site.bean(StoreSwitch.class).goAway();
            browser.shows("SB-4001", "the store is away");
            browser.shows("order-3", "History");
            Incidents.publish(site, "order-7", new Charge("order-7", "")); // somebody needs the store
            site.open(browser, Place.NOW.fragment());
            browser.shows("The store has not answered since");

            site.bean(StoreSwitch.class).comeBack();
            browser.shows("The store answers.");
            dashboard.open(Place.STUCK_SAGA);
            browser.hides("SB-4001");
        }
    }

    @Test
    void theBrokerIsCutOff(Browser browser) {
        TestBroker broker = TestBroker.shared();
        String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
        try (TcpProxy proxy = TcpProxy.to(broker.host(), broker.port());
                Site site = Site.start(
                        Variant.PLAIN,
                        "safebunny.transport=rabbit",
                        "safebunny.node=" + node,
                        "spring.rabbitmq.addresses=127.0.0.1:" + proxy.port(),
                        "spring.rabbitmq.username=" + broker.username(),
                        "spring.rabbitmq.password=" + broker.password(),
                        "spring.rabbitmq.virtual-host=" + broker.virtualHost())) {
            site.open(browser, Place.NOW.fragment());
            browser.shows("The broker can be used");

            proxy.refuse();
            proxy.cut();
            browser.shows("The broker cannot be used");
            site.open(browser, Place.POISON.fragment());
            browser.until(
                    "a reason why there is no list",
                    () -> browser.run(Boolean.class, "return document.querySelector('[role=alert]') !== null"));

            proxy.accept();
            site.open(browser, Place.NOW.fragment());
            browser.shows("The broker can be used");
            site.open(browser, Place.POISON.fragment());
            browser.shows("0 copies match");
        }
    }

    /** Another instance in its place knows nothing of its operation. */
    @Test
    void theApplicationIsGoneInTheMiddleOfAnOperationAndComesBack(Browser browser) throws IOException {
        String port = "server.port=" + Ports.take(1);
        try (Site site = Site.start(Variant.PLAIN, port)) {
            Incidents.happenAt(site, "a gift");
            String operation = site.bean(PoisonMessages.class)
                    .discard(PoisonRequest.of(PoisonFilter.all(), "operator", "one in a minute")
                            .atRate(1 / 60.0))
                    .id();
            site.open(browser, "#/operations/" + operation);
            browser.shows("running", "one in a minute", "Stop…");
        }
        browser.shows("No answer", "too old to act upon", "one in a minute");
        assertThat(browser.has("Stop…")).isFalse();

        try (Site site = Site.start(Variant.PLAIN, port)) {
            browser.hides("No answer");
            browser.shows("Not Found");
            site.open(browser, Place.TYPES.fragment());
            browser.shows("OrderPlaced");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "#/types/Nobody,        Nobody",
        "#/sagas/Order/nobody,  id=nobody",
        "#/poison/nobody,       was never set aside here",
        "#/operations/nobody,   nobody",
        "#/nothing,             No such page",
    })
    void whatNobodyKnowsIsSaid(String fragment, String named, Site site, Browser browser) {
        site.open(browser, fragment);

        browser.shows(named);
        browser.hides("Loading");
        assertThat(browser.barriers()).isEmpty();
    }

    @Test
    void nobodyIsAskedWhileThePageIsNotSeen(Site site, Browser browser) {
        Dashboard dashboard = new Dashboard(browser, site);
        dashboard.open(Place.NOW);

        browser.inAnotherTab(() -> {
            dashboard.open(Place.NOW);
            int before = browser.answers().size();
            browser.until("three more answers", () -> browser.answers().size() >= before + 3);
        });

        browser.until("a silence of more than four seconds between two answers", () -> browser.run(Boolean.class, """
                        const times = performance.getEntriesByName(new URL('safebunny/now', location).href).map(entry => entry.startTime);
                        return times.slice(1).some((time, at) => time - times[at] > 4_000);
                        """));
    }
}
