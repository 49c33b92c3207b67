// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import io.safebunny.test.broker.TestBroker;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who runs, who is silent, which versions there are, and where their pages are. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class InstancesIT {

    private static final String HOSTILE = "\"'><img src=x onerror=attack()>javascript:attack()";
    private static final String IN_JSON = HOSTILE.replace("\"", "\\\"");

    /** An answer that the browser gets in place of the node's. */
    private static String listing(String problem, String... nodes) {
        return """
                {"asOf":"2026-01-01T00:00:00Z","instance":"shop-1","problem":%s,"nodes":[%s]}""".formatted(problem, String.join(",", nodes));
    }

    private static String node(String name, String note, String... instances) {
        return """
                {"node":"%s","answered":true,"note":%s,"instances":[%s]}""".formatted(name, note, String.join(",", instances));
    }

    private static String answering(String name, String version) {
        return """
                {"instance":"%s","version":"%s","lastHeard":"2026-01-01T00:00:00Z","note":null,"facts":{"uptime":"PT49H3M","store":"JdbcMessageStore",
                "types":[{"type":"Charge","from":["shop"]},{"type":"Refund","from":["shop"]}],
                "notClosed":[{"type":"Charge","state":"OPEN","since":"2026-01-01T00:00:00Z","until":"","reason":"paused by an operator"}],"cut":false}}""".formatted(name, version);
    }

    private static String silent(String name, String note) {
        return """
                {"instance":"%s","version":"1.0","lastHeard":"2026-01-01T00:00:00Z","note":"%s","facts":null}""".formatted(name, note);
    }

    private static void shown(Browser browser, Site site, String listing) {
        new Dashboard(browser, site).open(Place.NOW);
        browser.answer("GET", "safebunny/nodes", listing);
        browser.click("Instances");
    }

    @Test
    void whoeverIsSilentIsNamedWithTheReason(Site site, Browser browser) {
        shown(
                browser,
                site,
                listing(
                        "null",
                        node(
                                "billing",
                                "null",
                                answering("billing-1", "1.0"),
                                silent("billing-2", "has not answered within 2 s")),
                        node("desk", "\"not heard of within a day\"")));

        browser.shows(
                "Silent: billing-2 of billing, desk. The reasons that are known are below.",
                "has not answered within 2 s",
                "not heard of within a day",
                "none is known",
                "All whose version is known have 1.0",
                "2 d",
                "2 types",
                "Charge not handled paused by an operator",
                "To have a link to the page of billing, desk, set management.endpoint.safebunnyui.pages.NODE to its address.");
        assertThat(browser.text()).doesNotContain("All that are known have answered");
        assertThat(browser.barriers()).isEmpty();
        browser.onAPhone();
        assertThat(browser.run(
                        Boolean.class,
                        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                .isTrue();
    }

    @Test
    void saysIfNobodyCouldBeAsked(Site site, Browser browser) {
        shown(
                browser,
                site,
                listing("\"the broker has an alarm\"", node("billing", "null", answering("billing-1", "1.0"))));

        browser.shows(
                "Others could not be asked, or not be heard: the broker has an alarm. So nobody knows whether they run.");
    }

    @Test
    void saysWhatItMeansIfVersionsDiffer(Site site, Browser browser) {
        shown(
                browser,
                site,
                listing("null", node("billing", "null", answering("billing-1", "1.0"), answering("billing-2", "1.1"))));

        browser.shows(
                "Versions differ: an update is under way, or somebody was forgotten.",
                "1.0: billing-1 of billing",
                "1.1: billing-2 of billing",
                "until an instance of the newer version has it");
    }

    /** Whoever may write to the broker may say this. */
    @Test
    void whatAnInstanceSaysIsTextAndLeadsNowhere(Site site, Browser browser) {
        shown(
                browser,
                site,
                listing(
                        "null",
                        node(IN_JSON, "null", answering(IN_JSON, IN_JSON)),
                        node("__proto__", "\"" + IN_JSON + "\"")));

        browser.shows("__proto__", HOSTILE);
        assertThat(browser.run(Number.class, "return document.querySelectorAll('img, td:first-child a').length"))
                .isEqualTo(0L);
        assertThat(browser.complaints()).isEmpty();
    }

    private static final String LEFT = """
            {"id": "order-5", "asOf": "2999-01-01T00:00:00Z", "problem": null, "sentences": ["It has ended."], "timeline": [],
                "next": [{"why": "left over", "node": "billing", "curl": "curl -sS -d '{\\"action\\":\\"discard\\"}' \\"${ACTUATOR}/safebunnypoison/message-1\\""}],
                "nodes": [%s, %s], "asked": [{"node": "shop", "instance": "shop-1", "answered": true, "note": null}]}
            """;
    private static final String TOLD = """
            {"node": "%s", "instance": "%s-1", "asOf": "2026-01-01T00:00:00Z", "foundAs": null, "correlationIds": ["order-5"], "troubles": [],
                "sagas": [], "messages": [%s], "pauses": [], "outbox": [], "scheduled": [], "looked": [], "truncated": false}
            """;
    private static final String REFUND = """
            {"id": "message-1", "type": "Refund", "state": "UNDONE", "correlationId": "order-5", "failures": [], "published": [], "omitted": 0}
            """;

    /** Whether or not its address ends with a slash. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/"})
    void whatAnotherNodeHasLeftIsOneClickAway(String end, Browser browser) {
        try (Site billing = Site.start(Variant.PLAIN, "safebunny.node=billing");
                Site shop = Site.start(
                        Variant.PLAIN, "management.endpoint.safebunnyui.pages.billing=" + billing.address() + end)) {
            ended(shop);
            shop.open(browser, Place.NOW.fragment());
            browser.shows("Is anything stuck?");
            browser.answer(
                    "GET",
                    "safebunnystory",
                    LEFT.formatted(TOLD.formatted("shop", "shop", ""), TOLD.formatted("billing", "billing", REFUND)));
            browser.run(Boolean.class, "location.hash = '#/story/order-5'; return true");
            browser.shows("Refund message-1, set aside by billing, and left over: discard it if nobody has");

            browser.run(Boolean.class, "location.hash = '#/sagas/Order/order-5'; return true");
            browser.shows(
                    "Left over at billing, unless somebody has discarded it: Refund message-1. Its saga has ended: discard it.");
            assertThat(browser.barriers()).isEmpty();
            browser.clickIn("p.rights", "message-1");

            browser.shows("billing SafeBunny", "Message message-1", "It is not in the poison queue");
        }
    }

    private static void ended(Site site) {
        Sagas sagas = site.bean(Sagas.class);
        Incidents.publish(site, "order-5", new PlaceOrder("a gift"));
        await().until(() -> sagas.find("Order", "order-5").isPresent());
        sagas.fail("Order", "order-5", "nobody wants it");
        await().until(() -> sagas.find("Order", "order-5")
                .filter(saga -> saga.status() == SagaStatus.FAILED)
                .isPresent());
    }

    /** Two nodes on a real broker. */
    @Test
    void theOtherNodeIsThereWithItsPage(Browser browser) {
        TestBroker broker = TestBroker.shared();
        String some = UUID.randomUUID().toString().substring(0, 8);
        try (Site billing = Site.start(Variant.PLAIN, properties(broker, "billing-" + some));
                Site shop = Site.start(
                        Variant.PLAIN,
                        properties(
                                broker,
                                "shop-" + some,
                                "management.endpoint.safebunnyui.pages.billing-" + some + "=" + billing.address()))) {
            shop.open(browser, Place.INSTANCES.fragment());
            browser.shows("shop-" + some, "billing-" + some, "this one", "Silent: shop.", "not heard of within a day");
            browser.until(
                    "both",
                    () -> browser.run(Number.class, "return document.querySelectorAll('[data-level=answers]').length")
                                    .intValue()
                            >= 2);

            assertThat(browser.text()).doesNotContain("To have a link to the page of billing");

            browser.click("billing-" + some);

            browser.shows("billing-" + some + " SafeBunny", "Is anything stuck?");
        }
    }

    private static String[] properties(TestBroker broker, String node, String... more) {
        return Stream.concat(
                        Stream.of(
                                "safebunny.transport=rabbit",
                                "safebunny.node=" + node,
                                "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                                "spring.rabbitmq.username=" + broker.username(),
                                "spring.rabbitmq.password=" + broker.password(),
                                "spring.rabbitmq.virtual-host=" + broker.virtualHost()),
                        Arrays.stream(more))
                .toArray(String[]::new);
    }
}
