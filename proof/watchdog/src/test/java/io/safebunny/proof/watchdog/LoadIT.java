// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Answer;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.site.Copies;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A hundred thousand copies that were set aside, of five hundred types. */
@Tag("once")
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(BrowserExtension.class)
class LoadIT {

    private static final Logger LOG = LoggerFactory.getLogger(LoadIT.class);

    private static final int COPIES = 100_000;
    private static final int TYPES = 500;
    private static final long MOST_BYTES = 1_000_000;

    @SuppressWarnings("NullAway.Init") // before all
    private Site site;

    @BeforeAll
    void start() {
        site = Site.start(Variant.PLAIN, "site.types=" + TYPES);
        Copies.put(site, COPIES, TYPES);
    }

    /** All of it in groups, and the largest of its answers. */
    @Test
    void countsAllWithoutALargeAnswer(Browser browser) {
        site.open(browser, "#/poison");
        browser.click("Count all…");
        browser.fill(Dashboard.REASON, "how much?");
        browser.click("Count all");
        browser.shows("one copy after the other");
        browser.click("Close");
        browser.until(
                "an end", () -> browser.text().contains("100000 of 100000 copies that nobody else held were read"));
        browser.shows("The next groups", "a replay would move");
        browser.click("The next groups (900 are left)");
        browser.shows("The groups before");

        Answer largest = largest(browser);
        PoisonOperation count = site.bean(PoisonMessages.class).operations().get(0);
        LOG.info(
                "{} copies counted in {} ms; largest answer {}",
                COPIES,
                Duration.between(
                                count.begunAt(),
                                Objects.requireNonNull(count.progress().endedAt()))
                        .toMillis(),
                largest);
        assertThat(largest.bytes()).isLessThan(MOST_BYTES);
        assertThat(browser.complaints()).isEmpty();
    }

    private static Answer largest(Browser browser) {
        return browser.answers().stream()
                .max(Comparator.comparingLong(Answer::bytes))
                .orElseThrow();
    }

    @AfterAll
    void close() {
        site.close();
    }

    @ParameterizedTest
    @CsvSource({
        "#/now,                        wait in the poison queue",
        "#/types,                      Show more",
        "#/types?q=Type7,              Type77",
        "#/poison,                     At least 100 copies match: 100 of 100000",
        "#/poison?type=Type7,          no room for this order",
        "#/poison/message-7,           what would a replay do?",
        "#/topology,                   shop-Type10",
    })
    void aPlaceIsThereAtOnceAndItsAnswersAreSmall(String fragment, String fact, Browser browser) {
        browser.open(URI.create("about:blank"));
        long begin = System.nanoTime();

        site.open(browser, fragment);
        browser.until(fact, () -> browser.run(String.class, "return document.body.textContent")
                .contains(fact));

        Duration shown = Duration.ofNanos(System.nanoTime() - begin);
        Duration painted = browser.firstPaint();
        Answer largest = largest(browser);
        LOG.info(
                "{}: painted after {} ms, told its fact after {} ms; largest answer {}",
                fragment,
                painted.toMillis(),
                shown.toMillis(),
                largest);
        assertThat(painted).isLessThan(Duration.ofSeconds(1));
        assertThat(largest.bytes()).isLessThan(MOST_BYTES);
        assertThat(browser.complaints()).isEmpty();
    }
}
