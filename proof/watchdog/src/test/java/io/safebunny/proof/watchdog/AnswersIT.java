// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.BunnyOperations.Scope;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Fault;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Site;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** An answer that does not come, comes late, comes from somebody else, or is none: nobody is told what is not so. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class AnswersIT {

    private static final String CHARGE = "#/types/Charge";
    private static final String CHANGE = "safebunny/breakers/Charge";
    private static final String UNSURE = "Nobody knows whether it was carried out.";

    private static Iterable<String> paused(Site site) {
        return site.bean(BunnyOperations.class).paused().stream()
                .map(Pause::type)
                .toList();
    }

    private static void resume(Site site) {
        site.bean(BunnyOperations.class).resume("Charge", Scope.NODE, "it was a test", "a test");
    }

    private static void fillInAPause(Site site, Browser browser) {
        site.open(browser, CHARGE);
        browser.click("Pause…");
        browser.fill(Dashboard.REASON, "the bank is closed on Sundays");
    }

    @Test
    void aChangeWhoseAnswerIsLostMayHaveBeenMade(Site site, Browser browser) {
        fillInAPause(site, browser);
        browser.interfere("POST", CHANGE, Fault.LOST);

        browser.click("Pause");

        browser.shows(UNSURE);
        assertThat(browser.has("Pause again")).isTrue();
        assertThat(paused(site)).contains("Charge");
        resume(site);
    }

    @Test
    void aChangeThatIsAnsweredWithSomethingElseMayHaveBeenMade(Site site, Browser browser) {
        fillInAPause(site, browser);
        browser.answer("POST", CHANGE, "All is well.");

        browser.click("Pause");

        browser.shows("text/plain", UNSURE);
        assertThat(browser.has("Types")).as("what is behind the dialog").isFalse();
        browser.click("Cancel");
        browser.click("Types");
        browser.shows("Which one fails, is slow, is paused?");
    }

    @Test
    void aChangeThatIsUnderWayCannotBeLeft(Site site, Browser browser) {
        fillInAPause(site, browser);
        browser.interfere("POST", CHANGE, Fault.HELD);

        browser.click("Pause");
        browser.shows("It is under way");
        browser.press(Keys.ESCAPE);
        browser.press(Keys.ESCAPE);
        browser.press(Keys.ESCAPE);

        browser.shows("It is under way");
        assertThat(browser.run(Boolean.class, "return document.querySelector('[data-action=close]').disabled"))
                .isTrue();
        browser.letThrough();
        browser.shows("stored for all instances");
        browser.click("Close");
        resume(site);
    }

    @Test
    void whoGoesBackClosesTheDialog(Site site, Browser browser) {
        site.open(browser, Place.TYPES.fragment());
        fillInAPause(site, browser);

        browser.back();

        browser.until(
                "no dialog", () -> browser.run(Boolean.class, "return document.querySelector('dialog') === null"));
        browser.shows("Which one fails, is slow, is paused?");

        browser.reload(); // whoever goes away has given up what he had typed
        browser.shows("Which one fails, is slow, is paused?", "Charge");
        assertThat(browser.has("Cancel")).isFalse();
    }

    @Test
    void whatIsOldCanBeReadAndNotActedUpon(Site site, Browser browser) {
        site.open(browser, CHARGE);
        browser.shows("As of", "the bank is closed");
        browser.interfere("GET", CHANGE, Fault.NEVER);

        browser.shows("No answer", "too old to act upon", "the bank is closed");
        assertThat(browser.has("Pause…")).isFalse();

        browser.letThrough();
        browser.hides("No answer", "too old to act upon");
        assertThat(browser.has("Pause…")).isTrue();
    }

    @Test
    void aFaultOfOnePlaceIsNotTheEndOfThePage(Site site, Browser browser) {
        site.open(browser, Place.TYPES.fragment());
        browser.answer("GET", "safebunny/now", "{\"level\":\"UP\",\"words\":5}");

        browser.click("Now");
        browser.shows("This page does not work");

        browser.letThrough();
        browser.click("Try again");
        browser.shows("Is anything stuck?", "Parts of this node");
    }

    @Test
    void twoInstancesBehindOneAddressAreToldOf(Site site, Browser browser) {
        site.open(browser, Place.NOW.fragment());
        browser.shows("Parts of this node");
        browser.interfere("GET", "safebunny/now", Fault.IN_TURNS);

        browser.shows("Several instances answer at this address", "the-other");

        browser.click("Types");
        browser.clickIn("tr[data-row=\"Charge\"]", "Pause…");
        browser.shows("Where");
        assertThat(browser.text()).doesNotContain("this instance only");
        browser.click("Cancel");
    }
}
