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
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** Whoever has an id finds out from every page what happened to it, and what to do. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class StoryIT {

    private static final String BOX = "Find an id";

    private static String setAside(Site site, String correlationId) {
        return site.bean(PoisonMessages.class)
                .list(PoisonFilter.all().withCorrelationId(correlationId))
                .messages()
                .get(0)
                .messageId();
    }

    @Test
    void anIdIsFoundFromEveryPage(Site site, Browser browser) {
        for (Place place : Place.values()) {
            site.open(browser, place.fragment());
            browser.fill(BOX, " order-2 ");
            browser.press(Keys.ENTER);

            browser.shows(
                    "Story: order-2", "Order order-2 of shop has waited for a repair", "In order", "What shop knows");
            assertThat(browser.address()).hasFragment("/story/order-2");
        }
        browser.fill(BOX, setAside(site, "order-1"));
        browser.click("Find");
        browser.shows("Found as message id", "Charge", "set aside", "the bank is closed");
    }

    @Test
    void saysThatNobodyKnowsAnId(Site site, Browser browser) {
        for (String id : new String[] {"nobody-knows", "a/b?c#d%e", "..", "<i>nobody</i>"}) {
            site.open(browser, "#/topology");
            browser.fill(BOX, id);
            browser.press(Keys.ENTER);

            browser.shows("Nothing is known of " + id, "shop has looked at");
        }
        site.open(browser, "#/story");
        browser.shows("Type an id into the box");
    }

    /** From the id alone, with nothing but the page. */
    @Test
    void aStuckOrderIsFoundExplainedAndRepaired(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            Incidents.happenAt(site, "a gift");
            site.open(browser, "#/topology");
            browser.fill(BOX, "order-3");
            browser.press(Keys.ENTER);
            browser.shows("Order order-3 of shop has been stuck", "nothing can be added");

            browser.click("Order order-3");
            browser.click("Resume…");
            browser.fill(Dashboard.REASON, "it can do without");
            browser.click("Resume");
            browser.shows("The saga is active");
            browser.click("Close");
            browser.fill(BOX, "order-3");
            browser.press(Keys.ENTER);
            browser.shows("Order order-3 of shop has been active");
        }
    }

    /** What takes a search is not asked again by itself; what has a key is. */
    @Test
    void aMessageIdIsSearchedOnce(Site site, Browser browser) {
        site.open(browser, "#/story/" + setAside(site, "order-1"));
        browser.shows("Look again");
        browser.run(
                Boolean.class,
                "document.querySelectorAll('main details').forEach(one => one.open = true); return true");
        browser.shows("curl -sS " + '"' + site.address().resolve("/actuator/"));
        await().pollInSameThread()
                .during(Duration.ofSeconds(12)) // longer than until it would ask again
                .atMost(Duration.ofSeconds(30))
                .until(() -> looks(browser) == 1);
        browser.click("Look again");
        browser.until("two looks", () -> looks(browser) == 2);

        site.open(browser, "#/story/order-2");
        browser.until("two looks more", () -> looks(browser) == 4);
        assertThat(browser.has("Look again")).isFalse();
    }

    private static long looks(Browser browser) {
        return browser.answers().stream()
                .filter(answer -> answer.path().contains("safebunnystory"))
                .count();
    }

    @Test
    void aTestOfItIsOffered(Site site, Browser browser) {
        String message = setAside(site, "order-1");
        for (String place : new String[] {Place.STUCK_SAGA.fragment(), "#/poison/" + message}) {
            site.open(browser, place);
            browser.shows("As a test");
            browser.run(
                    Boolean.class,
                    "document.querySelectorAll('main details').forEach(one => one.open = true); return true");
            browser.shows(
                    "as=test", "fails as it did here", "The BodyMasker masks what is in it. Each look is audited.");
        }
    }

    /** An answer that the browser gets in place of the node's. */
    @Test
    void whoIsSilentIsNamed(Site site, Browser browser) {
        new Dashboard(browser, site).open(Place.NOW);
        browser.answer("GET", "safebunnystory", """
                {"id":"order-9","asOf":"2026-01-01T00:00:00Z","problem":null,"sentences":["What billing knows is missing here"],"next":[],"timeline":[],
                "nodes":[{"node":"shop","instance":"shop-1","asOf":"2026-01-01T00:00:00Z","foundAs":"correlation id","correlationIds":["order-9"],"troubles":[],
                "sagas":[],"messages":[],"pauses":[],"outbox":[],"scheduled":[],"looked":[],"truncated":false},
                {"node":"desk","instance":"desk-1","asOf":"2026-01-01T00:00:00Z","foundAs":null,"correlationIds":[],"troubles":[],
                "sagas":[],"messages":[],"pauses":[],"outbox":[],"scheduled":[],"looked":[{"where":"records","found":0,"note":"not looked at"}],"truncated":false}],
                "asked":[{"node":"billing","instance":"billing-1","version":"1.0","answered":false,"lastHeard":"2026-01-01T00:00:00Z","note":"has not answered within 2 s"},
                {"node":"desk","instance":"desk-1","version":"1.0","answered":true,"lastHeard":"2026-01-01T00:00:00Z","note":null},
                {"node":"shop","instance":"shop-1","version":"1.0","answered":true,"lastHeard":"2026-01-01T00:00:00Z","note":null}]}""");
        browser.fill(BOX, "order-9");
        browser.press(Keys.ENTER);

        browser.shows(
                "Missing is what these nodes know: billing.", "Not all is told of desk", "Who has no record of it");
        assertThat(browser.text()).doesNotContain("All nodes that are known have told");
        assertThat(browser.barriers()).isEmpty();
    }

    /** With one press of a button, which is one look. */
    @Test
    void aTestIsShownCopiedAndSaved(Browser browser) {
        try (Site site = Site.start(Variant.PLAIN)) {
            Incidents.publish(site, "order-70", new Charge("order-70", "a gift, pin 4711"));
            await().until(() -> site.bean(PoisonMessages.class)
                            .list(PoisonFilter.all().withCorrelationId("order-70"))
                            .messages()
                            .size()
                    == 1);
            site.open(browser, "#/poison/" + setAside(site, "order-70"));
            browser.click("As a test");
            browser.click("Show the test");

            browser.shows("class ChargeIncident", "pin ***");
            String name = browser.run(
                    String.class,
                    "return /\\nclass (\\w+) [{]\\n/.exec(document.querySelector('[aria-label=\"Source of the test\"]').textContent)[1]");
            browser.shows("%s.java, and run it: mvn test -Dtest=%s".formatted(name, name));
            assertThat(browser.barriers()).isEmpty();
            browser.run(Boolean.class, """
                    HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };
                    return true;
                    """);
            browser.click("Download %s.java".formatted(name));
            assertThat(browser.run(String.class, "return window.saved")).isEqualTo(name + ".java");
            browser.click("Copy");
            browser.until(
                    "an answer",
                    () -> browser.text().contains("It is copied.")
                            || browser.text().contains("It is selected"));

            browser.click("Audit");
            browser.shows("1 look at a body or a state is not shown.");
            browser.click("Show looks, too");
            browser.shows("content body");
            assertThat(browser.run(Number.class, "return document.querySelectorAll('main tbody tr').length"))
                    .isEqualTo(1L);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    /** What production saw is in it, and may have anything in it. */
    @Test
    void itsFileIsNamedAfterItsClass(Site site, Browser browser) {
        site.open(browser, "#/poison/" + setAside(site, "order-1"));
        browser.click("As a test");
        browser.answer("GET", "as=test", """
                package com.example.shop;

                // java.lang.IllegalStateException: no class loader, nor class Other {
                class ChargeIncident01234567Test {

                    private static final String BODY =
                            \"""
                            class Another {\""";
                }
                """);
        browser.click("Show the test");

        browser.shows(
                "src/test/java/com/example/shop/ChargeIncident01234567Test.java, and run it: mvn test -Dtest=ChargeIncident01234567Test",
                "Download ChargeIncident01234567Test.java");
    }

    /** As all other times of the page, with that of the sentence on hover. */
    @Test
    void timesInSentencesAreLocal(Site site, Browser browser) {
        site.open(browser, "#/story/order-2");
        browser.shows("In order");

        assertThat(browser.run(String.class, "return document.querySelector('[aria-label=\"In words\"] time').title"))
                .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ");
        assertThat(browser.run(String.class, "return document.querySelector('[aria-label=\"In words\"]').innerText"))
                .doesNotContainPattern("\\d\\d:\\d\\d:\\d\\dZ");
    }

    @Test
    void itIsDrawn(Site site, Browser browser) {
        site.open(browser, "#/story/order-2");
        browser.shows("In order");
        browser.run(Boolean.class, "document.querySelector('main details:has(svg)').open = true; return true");

        browser.shows("The same for Mermaid");
        assertThat(browser.run(Number.class, "return document.querySelectorAll('svg .happened').length"))
                .isEqualTo(browser.run(
                        Number.class,
                        "return [...document.querySelectorAll('caption')].find(one => one.textContent.startsWith('What happened'))"
                                + ".parentElement.querySelectorAll('tbody tr').length"
                                + " - document.querySelectorAll('svg .expected').length"));
        assertThat(
                        browser.run(
                                Boolean.class,
                                "const frame = document.querySelector('svg').getBoundingClientRect();"
                                        + "return [...document.querySelectorAll('svg text')].every(text => {"
                                        + "const box = text.getBoundingClientRect(); return box.left >= frame.left && box.right <= frame.right; })"))
                .as("all words are within the picture")
                .isTrue();
        assertThat(browser.barriers()).isEmpty();
        assertThat(browser.complaints()).isEmpty();
    }
}
