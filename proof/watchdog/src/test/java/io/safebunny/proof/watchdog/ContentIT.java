// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.site.Copies;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** Who changes the content of something changes what he has seen, all that he has seen, and nothing else. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class ContentIT {

    private static SagaView placed(Site site, String order, String note) {
        Incidents.publish(site, order, new PlaceOrder(note));
        await().until(() -> site.bean(Sagas.class).find("Order", order).isPresent());
        return site.bean(Sagas.class).find("Order", order).orElseThrow();
    }

    @Test
    void aStateIsPatched(Site site, Browser browser) {
        placed(site, "order-20", "a gift");
        site.open(browser, "#/sagas/Order/order-20");
        browser.click("Show the state");
        browser.click("Patch…");
        browser.shows("Nothing is changed.");
        browser.fill("New state, as JSON", "{\"note\":\"two gifts\"}");
        browser.shows("two gifts");
        browser.fill(Dashboard.REASON, "they had forgotten one");
        browser.click("Patch");

        browser.shows("The state is replaced. The saga is active.");
        await().until(() -> site.bean(Sagas.class)
                .find("Order", "order-20")
                .filter(saga -> saga.state().contains("two gifts"))
                .isPresent());
        browser.click("Close");
        browser.shows("Show the state again before you patch it.");
    }

    /** What it has written since would be lost, and nobody would know. */
    @Test
    void aStateThatHasChangedSinceItWasSeenIsNotPatched(Site site, Browser browser) {
        SagaView before = placed(site, "order-21", "a gift");
        site.open(browser, "#/sagas/Order/order-21");
        browser.click("Show the state");
        browser.click("Patch…");
        browser.fill("New state, as JSON", "{\"note\":\"two gifts\"}");
        browser.fill(Dashboard.REASON, "they had forgotten one");

        Incidents.publish(site, "order-21", new Pay("a gift"));
        await().until(() -> site.bean(Sagas.class)
                .find("Order", "order-21")
                .filter(saga -> saga.version() > before.version())
                .isPresent());
        browser.until("the new version behind the dialog", () -> browser.run(
                        String.class, "return document.querySelector('main').textContent")
                .contains("The saga has changed since"));
        browser.click("Patch");

        // the answer, or the history, if the saga has not handled it when the answer is made
        browser.until(
                "a refusal",
                () -> browser.text().contains("SB-5025")
                        || (browser.text().contains("The saga has refused it: it has changed")
                                && site.bean(Sagas.class).find("Order", "order-21").orElseThrow().history().stream()
                                        .anyMatch(event -> event.what().contains("it has changed"))));
        assertThat(site.bean(Sagas.class).find("Order", "order-21"))
                .get()
                .extracting(SagaView::state)
                .asString()
                .doesNotContain("two gifts");
        browser.press(Keys.ESCAPE);
        browser.hides("SB-5025");
        assertThat(browser.has("Patch…")).isFalse();
    }

    /** The mask would be stored in place of what it hides. */
    @Test
    void aStateThatIsMaskedIsNotPatched(Site site, Browser browser) {
        placed(site, "order-22", "pin 4711");
        site.open(browser, "#/sagas/Order/order-22");
        browser.click("Show the state");

        browser.shows("pin ***", "Some of it is masked");
        assertThat(browser.has("Patch…")).isFalse();
    }

    @Test
    void aBodyIsEditedUnlessItIsMasked(Site site, Browser browser) {
        Copies.put(site, "message-23", "Letter", "invalid-message", "", "{\"note\":\"pin 4711\"}");
        site.open(browser, "#/poison/message-23");
        browser.click("Show the body");
        browser.shows("pin ***", "Some of it is masked");
        assertThat(browser.has("Edit…")).isFalse();

        PoisonFilter ofTheOrder = PoisonFilter.all().withCorrelationId("order-24");
        PoisonMessages poison = site.bean(PoisonMessages.class);
        Incidents.publish(site, "order-24", new Charge("order-24", "a gift"));
        await().until(() -> poison.list(ofTheOrder).messages().size() == 1);
        site.open(
                browser, "#/poison/" + poison.list(ofTheOrder).messages().get(0).messageId());
        browser.shows("Failures, as they were", "java.lang.IllegalStateException");
        browser.click("Show the body");
        browser.click("Edit…");
        browser.fill("New body", "{\"orderId\":\"order-24\",\"note\":\"two gifts\"}");
        browser.fill(Dashboard.REASON, "they had forgotten one");
        browser.click("Edit");

        browser.shows("Moved 1 of 1");
        browser.click("Close");
        browser.click("Show the body");
        browser.shows("two gifts");
    }

    @Test
    void aGroupWithoutAnExceptionIsOnlyThat(Site site, Browser browser) {
        Copies.put(site, "message-30", "Parcel", "invalid-message", "", "{}");
        Copies.put(site, "message-31", "Parcel", "invalid-message", "com.example.FullException", "{}");
        site.open(browser, "#/poison?type=Parcel");
        browser.shows("2 copies match");

        browser.clickIn("tr[data-row=\"Parcel invalid-message \"]", "1");

        browser.shows("Poison: Parcel, invalid-message, none", "1 copy matches", "Exception: none", "message-30");
        browser.hides("message-31");
        new Dashboard(browser, site).moveAll("Discard", "nobody sends parcels", 1);
        browser.click("any exception");
        new Dashboard(browser, site).looksUntil("1 copy matches");
        browser.shows("message-31");
    }

    /** Servers refuse some of them in a path, whoever sends them. */
    @ParameterizedTest
    @CsvSource({"a/b", "50%", "a;b", "a\\b", ".."})
    void aCopyWithAForeignIdCanBeOpenedAndMoved(String id, Site site, Browser browser) {
        Copies.put(site, id, "Foreign", "invalid-message", "", "{}");
        PoisonFilter withTheId = PoisonFilter.all().withMessageId(id);
        PoisonMessages poison = site.bean(PoisonMessages.class);
        site.open(browser, "#/poison/" + URLEncoder.encode(id, StandardCharsets.UTF_8));
        browser.shows("what would a replay do?", "invalid-message");

        browser.click("Discard…");
        browser.fill(Dashboard.REASON, "nobody knows it");
        browser.click("Discard");

        browser.shows("Its progress");
        await().until(() -> poison.list(withTheId).messages().isEmpty());
    }

    @Test
    void aCopyWithoutAnIdCanBeMoved(Site site, Browser browser) {
        Copies.put(site, "", "Nameless", "invalid-message", "", "{}");
        site.open(browser, "#/poison?type=Nameless");
        browser.shows("without an id");

        browser.clickIn("tr[data-row^=\" \"]", "Discard…");
        browser.fill(Dashboard.REASON, "nobody knows it");
        browser.click("Discard");

        browser.shows("Its progress");
        browser.click("Close");
        new Dashboard(browser, site).looksUntil("0 copies match");
    }
}
