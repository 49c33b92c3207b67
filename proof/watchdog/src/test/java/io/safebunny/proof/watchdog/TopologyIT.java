// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Scheme;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Drift;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.test.broker.TestBroker;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** Is the broker as planned? As a picture, which marks what is not. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class TopologyIT {

    private static final Path PICTURES = Path.of("target/pictures");
    private static final String HOSTILE = "\"'><img src=x onerror=attack()>javascript:attack()";

    private static void shown(Browser browser, Site site, String answer) {
        new Dashboard(browser, site).open(Place.NOW);
        browser.answer("GET", "safebunny/topology", answer);
        browser.click("Topology");
        browser.shows("Is the broker as planned?", "Queues");
    }

    /** The texts of what has this mark in the picture. */
    private static String drawn(Browser browser, String mark) {
        return browser.run(
                String.class,
                "return [...document.querySelectorAll('.picture .mark-%s text')].map(e => e.textContent).join(' | ')"
                        .formatted(mark));
    }

    private static boolean isTrue(Browser browser, String condition) {
        return browser.run(Boolean.class, "return " + condition);
    }

    @Test
    void whatDiffersIsMarkedInThePictureAndInTheTablesInWords(Site site, Browser browser) {
        shown(browser, site, Drift.some());

        browser.shows(
                "The broker differs from the plan in 4 points.",
                "depths included",
                "Queue 'shop-poison-archive' is missing: the node runs without it");
        assertThat(drawn(browser, "missing"))
                .contains("missing: desk-OrderPlaced", "shop-poison-archive | missing")
                .doesNotContain("shop-Charge");
        assertThat(drawn(browser, "different")).contains("shop-Charge | 3 ready, 2 unacknowledged | different");
        assertThat(drawn(browser, "left-over")).contains("left over: old-OrderPlaced", "shop-Old | 12 ready");
        assertThat(drawn(browser, "as-planned")).contains("shop-OrderPlaced | 0 ready, 0 unacknowledged", "safebunny");
        assertThat(
                        browser.run(
                                String.class,
                                "return document.querySelector('tr[data-row=\"shop-Charge\"]').innerText.replace(/\\s+/g, ' ')"))
                .contains("shop-Charge different", "message-ttl=60000 by policy", "3 2 1");
        assertThat(browser.run(String.class, "return document.querySelector('table tbody tr').dataset.row"))
                .as("what differs comes first")
                .isNotEqualTo("shop-OrderPlaced");
        assertThat(isTrue(browser, "document.querySelectorAll('.picture .flag').length === 3"))
                .as("a flag for each box that differs")
                .isTrue();
    }

    @Test
    void thePictureHasNoBarriersInLightAndDarkAndScrollsByItselfOnAPhone(Site site, Browser browser) {
        shown(browser, site, Drift.some());
        for (Scheme scheme : Scheme.values()) {
            browser.prefer(scheme);
            browser.onADesk();
            browser.photograph(PICTURES.resolve("drift-%s.png".formatted(scheme)));
            assertThat(browser.barriers()).as(scheme.toString()).isEmpty();
            browser.onAPhone();
            browser.photograph(PICTURES.resolve("drift-%s-phone.png".formatted(scheme)));
            assertThat(browser.barriers()).as(scheme + " on a phone").isEmpty();
            assertThat(isTrue(browser, "document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                    .as("nothing is beside the screen")
                    .isTrue();
            assertThat(
                            isTrue(
                                    browser,
                                    "(box => box.scrollWidth > box.clientWidth && box.tabIndex === 0)(document.querySelector('.picture').parentElement)"))
                    .as("the picture scrolls in its box, by keys as well")
                    .isTrue();
        }
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aQueueOfThePictureLeadsToItsTypeByKeyboard(Site site, Browser browser) {
        shown(browser, site, Drift.some());

        assertThat(browser.tabTo("shop-Charge 3 ready, 2 unacknowledged different"))
                .allMatch(Browser.Stop::isMarked);
        browser.press(Keys.ENTER);

        browser.shows("How is it handled?");
        assertThat(browser.address()).hasFragment("/types/Charge");
    }

    /** Of five hundred, somebody looks at those. */
    @Test
    void ofManyQueuesThoseThatDifferAreDrawnAndTheOthersAreCounted(Site site, Browser browser) {
        shown(browser, site, Drift.among(500, 400));

        browser.shows("Drawn are 12 of the 501 queues", "The other 489 are in the table only.");
        assertThat(drawn(browser, "missing")).contains("missing: desk-Type400");
        assertThat(isTrue(browser, "document.querySelectorAll('.picture a').length < 20"))
                .isTrue();
        assertThat(isTrue(browser, "document.querySelectorAll('table').length === 3"))
                .isTrue();
        assertThat(browser.barriers()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'NOBODY','level':'UNKNOWN','words':'Nobody compares it.' | Nobody compares it.",
                "'NOT_YET','level':'UNKNOWN','words':'Not compared yet.','asOf':null | Not compared yet.",
                "'FAILED','level':'DEGRADED','words':'Could not be compared: 401.','asOf':'2026-01-01T00:00:00Z','marksAsOf':'2025-01-01T00:00:00Z' | Could not be compared: 401.",
            },
            quoteCharacter = '"')
    void whatIsNotComparedIsNotMarked(String comparison, String words, Site site, Browser browser) {
        shown(browser, site, Drift.uncompared("{'state':%s,'notices':[]}".formatted(comparison)));

        browser.shows(words, "not compared");
        assertThat(browser.text()).doesNotContain("missing", "depths included");
        assertThat(drawn(browser, "not-compared"))
                .contains("safebunny | what nodes publish | not compared", "shop-OrderPlaced | not compared");
        assertThat(drawn(browser, "as-planned")).isEmpty();
        assertThat(isTrue(browser, "document.querySelectorAll('.picture .flag').length === 0"))
                .isTrue();
        assertThat(browser.barriers()).isEmpty();
    }

    /** As an instance of an older version answers behind the same address. */
    @Test
    void anAnswerWithoutMarksIsShownAsThat(Site site, Browser browser) {
        shown(browser, site, Drift.OLD_ANSWER);

        browser.shows("it has an older version", "shop-OrderPlaced", "not compared");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void namesAreTextAndLeadNowhereElse(Site site, Browser browser) {
        shown(browser, site, Drift.named(HOSTILE));

        browser.shows(HOSTILE);
        assertThat(
                        isTrue(
                                browser,
                                "document.querySelectorAll('main img').length === 0 && [...document.querySelectorAll('.picture a')].every(a => a.getAttribute('href').startsWith('#/'))"))
                .isTrue();
        assertThat(browser.complaints()).isEmpty();
    }

    /** On a real broker, whose archive somebody deletes while the page is open. */
    @Test
    void aQueueThatSomebodyDeletesIsMarkedWhileThePageIsOpen(Browser browser) throws Exception {
        TestBroker broker = TestBroker.shared();
        Assumptions.assumeTrue(broker.managementUri().isPresent(), "no management API");
        String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
        try (Site site = Site.start(
                        Variant.PLAIN,
                        "safebunny.transport=rabbit",
                        "safebunny.node=" + node,
                        "safebunny.topology.prefix=" + node,
                        "safebunny.topology.management-uri="
                                + broker.managementUri().orElseThrow(),
                        "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
                        "spring.rabbitmq.username=" + broker.username(),
                        "spring.rabbitmq.password=" + broker.password(),
                        "spring.rabbitmq.virtual-host=" + broker.virtualHost());
                Connection connection = broker.connectionFactory().newConnection("by hand");
                Channel channel = connection.createChannel()) {
            site.open(browser, Place.TOPOLOGY.fragment());
            browser.shows("The broker is as planned.", node + "-Charge", "0 ready", "1 consumer");

            channel.queueDelete(node + "-poison-archive");

            browser.shows("as planned, but for 1 point of no harm", node + "-poison-archive' is missing");
            assertThat(drawn(browser, "missing")).contains("-poison-archive | missing");

            channel.queueUnbind(node + "-Charge", node, "shop-Charge");

            browser.shows("The broker differs from the plan in 1 point.", "not bound to exchange '" + node + "'");
            assertThat(drawn(browser, "missing")).contains("missing: shop-Charge");
        }
    }
}
