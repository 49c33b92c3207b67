// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Scheme;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.browser.Palette;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Drift;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.ReminderDue;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The pictures in docs/images, which docs/dashboard.md shows: they can be made, and have something on them. With {@code -Dscreenshots} they
 * are made there anew.
 */
@Tag("once")
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
@ExtendWith(BrowserExtension.class)
class ScreenshotsIT {

    private static final Path DOCS = Path.of("../../docs");
    private static final Path PUBLISHED = DOCS.resolve("images");
    private static final Path MADE =
            System.getProperty("screenshots") == null ? Path.of("target/screenshots") : PUBLISHED;
    private static final List<Place> SHOWN =
            List.of(Place.NOW, Place.TYPES, Place.BLOCKED_SAGA, Place.POISON, Place.TOPOLOGY);
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 800;
    private static final int MOST_BYTES = 100_000;
    private static final int MOST_BYTES_OF_ALL = 600_000;

    @SuppressWarnings("NullAway.Init") // before all
    private Site site;

    @BeforeAll
    void start() {
        site = Site.start(Variant.PLAIN);
        Incidents.happenAt(site, "order of ada");
        for (String order : List.of("order-4", "order-5", "order-6")) {
            Incidents.publish(site, order, new Charge(order, "order of alan"));
        }
        Incidents.awaitPoison(site, 6);
        for (int i = 0; i < 120; i++) {
            Incidents.publish(site, "order-" + i, new ReminderDue("order-" + i));
        }
    }

    @AfterAll
    void close() {
        site.close();
    }

    @ParameterizedTest
    @FieldSource("SHOWN")
    void showsThePlaceInTheLightAndInTheDark(Place place, Browser browser) throws IOException {
        if (place == Place.TOPOLOGY) {
            drift(browser);
        } else {
            new Dashboard(browser, site).open(place);
        }
        if (place == Place.NOW) {
            browser.shows("6 messages are set aside", "1 saga needs a repair", "/s"); // all is counted
        }
        if (place == Place.BLOCKED_SAGA) {
            browser.shows("has waited for a repair since"); // its story
        }
        if (place == Place.TYPES) {
            browser.until(
                    "lines", () -> browser.run(Boolean.class, "return document.querySelector('svg.pace') !== null"));
        }
        browser.inAWindow(WIDTH, HEIGHT);
        for (Scheme scheme : Scheme.values()) {
            browser.prefer(scheme);
            Path file = MADE.resolve(name(place, scheme));
            browser.photograph(file);
            ImageIO.write(Palette.reduce(ImageIO.read(file.toFile())), "png", file.toFile());

            assertThat(Files.size(file)).isLessThan(MOST_BYTES);
            requirePicture(ImageIO.read(file.toFile()), scheme);
        }
        assertThat(browser.complaints()).isEmpty();
    }

    /** The broker in memory has none. */
    private void drift(Browser browser) {
        new Dashboard(browser, site).open(Place.NOW);
        browser.answer("GET", "safebunny/topology", Drift.some());
        browser.click("Topology");
        browser.shows("The broker differs from the plan");
    }

    /** Of the right size and colour, and with writing on it, as far down as to its last quarter. */
    private static void requirePicture(BufferedImage picture, Scheme scheme) {
        assertThat(picture.getWidth()).isEqualTo(WIDTH);
        assertThat(picture.getHeight()).isEqualTo(HEIGHT);
        int background = picture.getRGB(2, HEIGHT - 2);
        assertThat(background & 0xff).matches(blue -> scheme == Scheme.LIGHT ? blue > 200 : blue < 60);
        for (int top : new int[] {0, HEIGHT / 4, HEIGHT / 2, HEIGHT * 3 / 4}) {
            assertThat(inked(picture, background, top)).as("from %s", top).isGreaterThan(WIDTH);
        }
    }

    /** How many points of a quarter have another colour than the background. */
    private static long inked(BufferedImage picture, int background, int top) {
        long inked = 0;
        for (int y = top; y < top + HEIGHT / 4; y++) {
            for (int x = 0; x < WIDTH; x++) {
                inked += picture.getRGB(x, y) == background ? 0 : 1;
            }
        }
        return inked;
    }

    /** Last, because they may just be made. */
    @Test
    @Order(Integer.MAX_VALUE)
    void theDocsShowEachOfThemAndNoOther() throws IOException {
        List<String> names = SHOWN.stream()
                .flatMap(place -> Stream.of(Scheme.values()).map(scheme -> name(place, scheme)))
                .toList();
        try (Stream<Path> files = Files.list(PUBLISHED)) {
            assertThat(files)
                    .extracting(file -> file.getFileName().toString())
                    .containsExactlyInAnyOrderElementsOf(names);
        }
        String page = Files.readString(DOCS.resolve("dashboard.md"));
        assertThat(names).allSatisfy(name -> {
            assertThat(page).contains("](images/" + name + ")");
            assertThat(bytes(name)).isBetween(1L, (long) MOST_BYTES);
        });
        assertThat(names.stream().mapToLong(ScreenshotsIT::bytes).sum()).isLessThan(MOST_BYTES_OF_ALL);
    }

    private static long bytes(String name) {
        try {
            return Files.size(PUBLISHED.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(Place place, Scheme scheme) {
        return "%s-%s.png".formatted(place.name().toLowerCase(Locale.ROOT).replace('_', '-'), scheme);
    }
}
