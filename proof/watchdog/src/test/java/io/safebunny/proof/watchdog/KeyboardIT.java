// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.Browser.Stop;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.Sagas;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** With the keys Tab, Enter and Escape alone. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class KeyboardIT {

    private static final String CHARGE = "#/types/Charge";

    @BeforeEach
    void open(Site site, Browser browser) {
        site.open(browser, CHARGE);
        browser.shows("How is it handled?", "the bank is closed");
    }

    private static Iterable<String> paused(Site site) {
        return site.bean(BunnyOperations.class).paused().stream()
                .map(Pause::type)
                .toList();
    }

    @Test
    void pausesAndResumes(Site site, Browser browser) {
        act(browser, "Pause Charge…", "stored for all instances");

        assertThat(paused(site)).contains("Charge");
        assertThat(browser.isAt("Pause Charge…")).isTrue();

        act(browser, "Resume Charge…", "stored for all instances");

        assertThat(paused(site)).doesNotContain("Charge");
    }

    @Test
    void discardsAMessage(Site site, Browser browser) {
        Incidents.publish(site, "order-8", new Charge("order-8", "another gift"));
        PoisonFilter ofTheOrder = PoisonFilter.all().withCorrelationId("order-8");
        PoisonMessages poison = site.bean(PoisonMessages.class);
        await().until(() -> poison.list(ofTheOrder).messages().size() == 1);
        String id = poison.list(ofTheOrder).messages().get(0).messageId();
        site.open(browser, "#/poison/" + id);
        browser.shows("what would a replay do?", "another gift");

        act(browser, "Discard " + id + "…", "Its progress");

        await().until(() -> poison.list(ofTheOrder).messages().isEmpty());
        await().until(() -> poison.archived(ofTheOrder).messages().size() == 1);
    }

    @Test
    void failsASaga(Site site, Browser browser) {
        Incidents.publish(site, "order-6", new PlaceOrder("a gift"));
        Sagas sagas = site.bean(Sagas.class);
        await().until(() -> sagas.find("Order", "order-6").isPresent());
        site.open(browser, "#/sagas/Order/order-6");
        browser.shows("Order order-6");

        act(browser, "Fail order-6…", "The saga has ended: failed, there was nothing to undo.");

        await().until(() -> sagas.find("Order", "order-6")
                .filter(saga -> saga.status() == SagaStatus.FAILED)
                .isPresent());
    }

    /** Presses the button, gives the reason, confirms, and closes the dialog. */
    private static void act(Browser browser, String button, String outcome) {
        assertThat(browser.tabTo(button)).allMatch(Stop::isMarked);
        browser.press(Keys.ENTER);
        assertThat(browser.tabTo(Dashboard.REASON)).allMatch(Stop::isMarked);
        browser.press("no hands", Keys.ENTER);
        browser.shows(outcome);
        browser.until("the focus on Close", () -> browser.isAt("Close"));
        browser.press(Keys.ENTER);
        browser.hides(outcome);
    }

    @Test
    void escapeChangesNothingAndTheFocusIsWhereItWas(Site site, Browser browser) {
        browser.tabTo("Pause Charge…");
        browser.press(Keys.ENTER);
        browser.shows("Its messages wait in their queue.");
        browser.tabTo(Dashboard.REASON);
        browser.press("never mind", Keys.ESCAPE);
        browser.hides("Its messages wait in their queue.");

        assertThat(browser.focus()).isEqualTo(new Stop("Pause Charge…", true));
        assertThat(paused(site)).doesNotContain("Charge");
    }

    @Test
    void aNewAnswerTakesNeitherDialogNorFocusNorWhatIsTyped(Site site, Browser browser) {
        browser.tabTo("Pause Charge…");
        browser.press(Keys.ENTER);
        browser.tabTo(Dashboard.REASON);
        browser.press("half a sen");

        Incidents.publish(site, "order-9", new Charge("order-9", "another failure"));
        browser.until("the new failure behind the dialog", () -> browser.run(
                        String.class, "return document.querySelector('main').textContent")
                .contains("another failure"));

        browser.press("tence");
        assertThat(browser.isAt(Dashboard.REASON)).isTrue();
        assertThat(browser.run(String.class, "return document.activeElement.value"))
                .isEqualTo("half a sentence");
        browser.press(Keys.ESCAPE);
    }

    @Test
    void goesFromPlaceToPlace(Browser browser) {
        for (String place : new String[] {"Sagas", "Poison", "Topology", "Now"}) {
            browser.tabTo(place);
            browser.press(Keys.ENTER);
            browser.until(
                    "the focus on the title " + place,
                    () -> browser.run(Boolean.class, "return document.activeElement.tagName === 'H1'")
                            && browser.isAt(place));
        }
        assertThat(browser.address()).hasFragment("/now");
    }

    /** Else nobody who does not see it would notice that there is something else. */
    @Test
    void aLinkThatOnlyNarrowsAListPutsTheFocusOnItsTitle(Site site, Browser browser) {
        String title = "Poison: Add, handler-failed, io.safebunny.PoisonMessageException";
        site.open(browser, Place.POISON.fragment());
        browser.shows("copies match");
        browser.run(
                Boolean.class,
                "document.querySelector('tr[data-row^=\"Add \"] a').focus(); return document.activeElement.matches('td a')");

        browser.press(Keys.ENTER);

        browser.until("the focus on the title", () -> browser.isAt(title));
        assertThat(browser.run(String.class, "return document.title")).startsWith(title);
    }

    @Test
    void whoFiltersKeepsTheFocus(Site site, Browser browser) {
        site.open(browser, Place.POISON.fragment());
        browser.shows("copies match");
        browser.tabTo("Reason");

        browser.press("handler-failed", Keys.ENTER);

        browser.shows("Poison: handler-failed");
        assertThat(browser.isAt("Reason")).isTrue();
    }

    @Test
    void skipsTheMenu(Browser browser) {
        browser.tabTo("To the content");
        browser.press(Keys.ENTER);

        browser.until(
                "the focus on the content",
                () -> browser.run(Boolean.class, "return document.activeElement === document.querySelector('main')"));
        assertThat(browser.address()).hasFragment("/types/Charge");
    }

    @Test
    void everythingThatStopsTheKeyIsToBeSeen(Site site, Browser browser) {
        for (Place place : Place.values()) {
            new Dashboard(browser, site).open(place);

            assertThat(browser.tabTo("This page as curl"))
                    .as(place.name())
                    .allMatch(Stop::isMarked)
                    .noneMatch(stop -> stop.name().isEmpty());
        }
    }
}
