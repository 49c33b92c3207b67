// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.PublishOptions;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.site.Copies;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.OtherSite;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.Sagas;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a sender or a user writes is shown as the text that it is, wherever it is shown. */
@Tag("once")
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(BrowserExtension.class)
class HostileTextIT {

    private static final String TEXT =
            "\"'><img src=x onerror=attack()><script>attack()</script>&lt;b&gt;{{7*7}}${7*7}javascript:attack()";

    @SuppressWarnings("NullAway.Init") // before all
    private Site site;

    @BeforeAll
    void start() {
        site = Site.start(Variant.PLAIN);
        Incidents.happenAt(site, TEXT);
        site.bean(BunnyOperations.class).pause("ReminderDue", Duration.ofHours(1), Scope.NODE, TEXT, TEXT);
        site.bean(Bunny.class)
                .publish(
                        new Charge("order-4", TEXT),
                        PublishOptions.none()
                                .withCorrelationId("order-4")
                                .withHeader("note", TEXT)
                                .withHeader(TEXT, "a name"));
        Incidents.publish(site, "order-5", new PlaceOrder(TEXT));
        await().until(() -> site.bean(Sagas.class).find("Order", "order-5").isPresent());
        site.bean(Sagas.class).fail("Order", "order-5", TEXT);
        Copies.put(site, TEXT);
        Incidents.awaitPoison(site, 5);
    }

    @AfterAll
    void close() {
        site.close();
    }

    /** Nothing of it has become part of the page, or has run. */
    @AfterEach
    void isNothingButText(Browser browser) {
        assertThat(browser.run(
                        Number.class,
                        "return document.querySelectorAll('img, iframe, object, body script, [onerror]').length"))
                .isEqualTo(0L);
        assertThat(browser.complaints())
                // what nobody knows, or what no path can have, is refused
                .allMatch(line -> line.contains("status of 404") || line.contains("status of 400"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"#/now", "#/types", "#/sagas?state=ended", "#/sagas/Order/order-5", "#/story/order-5", "#/poison"
            })
    void isShownWhereSomethingIsQuoted(String fragment, Browser browser) {
        site.open(browser, fragment);

        if (fragment.equals("#/now")) { // it quotes nothing, and does not stumble
            browser.shows("OrderPlaced (paused by night shift");
        } else {
            browser.shows(TEXT);
        }
    }

    @Test
    void asTheReasonOfAPauseAndWhoAskedForIt(Browser browser) {
        site.open(browser, "#/types/ReminderDue");

        browser.shows(TEXT.substring(0, 90));
    }

    @Test
    void asTheStateOfASaga(Browser browser) {
        site.open(browser, "#/sagas/Order/order-2");
        browser.click("Show the state");

        browser.shows(TEXT.replace("\"", "\\\""));
    }

    @Test
    void asABodyAndAsAHeader(Browser browser) {
        String id = site.bean(PoisonMessages.class)
                .list(PoisonFilter.all().withCorrelationId("order-4"))
                .messages()
                .get(0)
                .messageId();
        site.open(browser, "#/poison/" + id);
        browser.click("Show the body");

        browser.shows("Headers", "a name", TEXT, TEXT.replace("\"", "\\\""));
    }

    /** Else its user could be made to click on what he does not see. */
    @Test
    void withinThePageOfAnotherSiteItShowsNothing(Browser browser) {
        try (OtherSite other =
                OtherSite.with("", "<iframe title=\"a bait\" src=\"" + site.address() + "\"></iframe>")) {
            browser.open(other.address());
            browser.until("a refusal", () -> browser.textOfFrame().contains("does not work within another one"));
            browser.open(URI.create("about:blank"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#/",
                "#/types/",
                "#/sagas/Order/",
                "#/sagas/",
                "#/poison/",
                "#/operations/",
                "#/poison?type=",
                "#/types?q="
            })
    void inAnAddressIsNobodysName(String place, Browser browser) {
        site.open(
                browser, place + URLEncoder.encode(TEXT, StandardCharsets.UTF_8).replace("+", "%20"));

        browser.until("an end of loading", () -> {
            String shown = browser.text();
            return !shown.contains("Loading") && !shown.contains("This page does not work");
        });
    }
}
