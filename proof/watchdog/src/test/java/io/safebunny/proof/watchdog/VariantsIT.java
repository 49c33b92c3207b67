// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Scheme;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each place of the page on each kind of server: it tells its fact, keeps to its policy, and everybody can use it. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class VariantsIT {

    @ParameterizedTest
    @EnumSource
    void eachPlaceTellsItsFact(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            for (Place place : Place.values()) {
                dashboard.open(place);

                assertThat(browser.complaints()).as(place.name()).isEmpty();
                for (Scheme scheme : Scheme.values()) {
                    browser.prefer(scheme);
                    assertThat(browser.barriers()).as("%s, %s", place, scheme).isEmpty();
                }
            }
            assertThat(site.strays()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ_ONLY", "SECURED_LOOK_ONLY"})
    void whoMayOnlyLookHasNoButtonsAndIsToldWhy(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            String why =
                    variant.isSecured() ? "management.endpoint.safebunny.write-roles=CHIEF" : "access=unrestricted";

            dashboard.open(Place.TYPES);
            browser.shows(why);
            assertThat(browser.has("Pause…")).isFalse();
            dashboard.open(Place.POISON);
            browser.shows(why);
            assertThat(browser.has("Replay…")).isFalse();
            dashboard.open(Place.STUCK_SAGA);
            browser.shows(why);
            assertThat(browser.has("Resume…")).isFalse();
        }
    }
}
