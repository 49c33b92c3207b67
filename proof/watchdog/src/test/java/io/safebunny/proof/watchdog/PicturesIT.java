// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Scheme;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Site;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each place can be used by everybody, in the light and in the dark, on a desk and on a phone; with pictures for a person to look at. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class PicturesIT {

    private static final Path PICTURES = Path.of("target/pictures");

    /** Headings of columns that cover something; each cell has its own there. */
    private static final String HEADINGS = """
            return [...document.querySelectorAll('th')].filter(heading => {
                const box = heading.getBoundingClientRect();
                const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                return seen !== null && heading.contains(seen);
            }).length;
            """;

    @ParameterizedTest
    @EnumSource
    void hasNoBarriersAndFitsAPhone(Place place, Site site, Browser browser) throws IOException {
        new Dashboard(browser, site).open(place);
        for (Scheme scheme : Scheme.values()) {
            browser.prefer(scheme);
            browser.onADesk();
            assertThat(brightness(photograph(browser, place.name(), scheme.toString())))
                    .as(scheme.toString())
                    .matches(level -> scheme == Scheme.LIGHT ? level > 200 : level < 60);
            assertThat(browser.barriers()).as(scheme.toString()).isEmpty();
            browser.onAPhone();
            photograph(browser, place.name(), scheme + "-phone");
            assertThat(browser.run(
                            Boolean.class,
                            "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                    .as("nothing is beside the screen")
                    .isTrue();
            assertThat(browser.run(Number.class, HEADINGS)).isEqualTo(0L);
        }
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aDialogFitsAPhoneAndHasNoBarriers(Site site, Browser browser) throws IOException {
        new Dashboard(browser, site).open(Place.TYPE);
        browser.click("Pause…");
        browser.shows("Its messages wait in their queue.");
        for (Scheme scheme : Scheme.values()) {
            browser.prefer(scheme);
            browser.onADesk();
            photograph(browser, "DIALOG", scheme.toString());
            assertThat(browser.barriers()).isEmpty();
            browser.onAPhone();
            photograph(browser, "DIALOG", scheme + "-phone");
            assertThat(browser.barriers()).isEmpty();
        }
    }

    private static BufferedImage photograph(Browser browser, String place, String how) throws IOException {
        Path file = PICTURES.resolve("%s-%s.png".formatted(place.toLowerCase(Locale.ROOT), how));
        browser.photograph(file);
        return ImageIO.read(file.toFile());
    }

    /** Of its lower left corner, where nothing but the background is; 0 to 255. */
    private static int brightness(BufferedImage picture) {
        int colour = picture.getRGB(2, picture.getHeight() - 2);
        return ((colour >> 16 & 0xff) + (colour >> 8 & 0xff) + (colour & 0xff)) / 3;
    }
}
