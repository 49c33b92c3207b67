// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Challenges;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A session ends while the page is open: nothing that was typed is lost, nor where somebody was. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class SessionIT {

    @ParameterizedTest
    @EnumSource(names = {"SECURED", "SECURED_WEBFLUX"})
    void whoeverLogsInAgainGoesOn(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            goesOnWithANewToken(site, dashboard, browser);
            comesBackToThePlace(site, dashboard, browser);
            assertThat(site.bean(Challenges.class).paths()).noneMatch(path -> path.startsWith("/actuator/"));
        }
    }

    /** He logs in elsewhere. */
    private static void goesOnWithANewToken(Site site, Dashboard dashboard, Browser browser) {
        BunnyOperations operations = site.bean(BunnyOperations.class);
        dashboard.open(Place.TYPES);
        browser.clickIn("tr[data-row=\"Charge\"]", "Pause…");
        browser.fill(Dashboard.REASON, "typed before");

        site.expire(browser);
        browser.click("Pause");
        browser.shows("Logged out");
        assertThat(operations.paused()).extracting(Pause::type).doesNotContain("Charge");

        browser.inAnotherTab(() -> site.open(browser, Place.NOW.fragment()));
        browser.click("Pause");
        browser.shows("stored for all instances");
        assertThat(operations.paused()).extracting(Pause::reason).contains("typed before");
        browser.click("Close");
        browser.hides("Logged out");
    }

    /** He logs in here, which takes the end of the address away. */
    private static void comesBackToThePlace(Site site, Dashboard dashboard, Browser browser) {
        dashboard.open(Place.TYPE);
        browser.click("Pause…");
        browser.fill(Dashboard.REASON, "typed before the session ended");

        site.expire(browser);
        browser.tick("Replace that pause, also if it would have been longer");
        browser.click("Pause");
        browser.shows("Logged out");
        browser.click("Load the page again");
        site.signIn(browser);

        browser.shows("What you had typed is back.");
        assertThat(browser.valueOf(Dashboard.REASON)).isEqualTo("typed before the session ended");
        browser.click("Cancel");

        browser.shows("How is it handled?", Incidents.PAUSED);
        assertThat(browser.address()).hasFragment(Place.TYPE.fragment().substring(1));
    }
}
