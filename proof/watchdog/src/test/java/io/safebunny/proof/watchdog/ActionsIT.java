// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static io.safebunny.proof.watchdog.site.Incidents.awaitPoison;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.BunnyOperations;
import io.safebunny.BunnyOperations.Pause;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Shop.Bank;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What somebody does on the page is done, by whom it says; also where requests of other sites are kept out. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class ActionsIT {

    private static String user(Variant variant) {
        return variant.isSecured() ? Site.USER : "anonymous";
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "PROXY", "SECURED", "SECURED_WEBFLUX"})
    void pausesAndResumesAType(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            BunnyOperations operations = site.bean(BunnyOperations.class);
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            dashboard.open(Place.TYPES);

            dashboard.pause("Charge", "2h", "the bank is closed on Sundays");

            assertThat(operations.paused())
                    .extracting(Pause::type, Pause::reason, Pause::by)
                    .contains(Tuple.tuple("Charge", "the bank is closed on Sundays", user(variant)));
            site.open(browser, "#/types/Charge");
            browser.shows("the bank is closed on Sundays", user(variant));

            dashboard.open(Place.TYPES);
            dashboard.resume("Charge", "it is Monday");

            assertThat(operations.paused()).extracting(Pause::type).doesNotContain("Charge");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CONTEXT_PATH", "WEBFLUX", "SECURED"})
    void resumesAStuckSaga(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            dashboard.open(Place.STUCK_SAGA);

            dashboard.resumeSaga("the addition was written off");

            assertThat(site.bean(Sagas.class).find("Order", "order-3"))
                    .get()
                    .extracting(SagaView::status)
                    .isEqualTo(SagaStatus.ACTIVE);
            browser.shows("the addition was written off");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANAGEMENT_PORT", "WEBFLUX", "SECURED"})
    void discardsAllAfterADryRunAndRestoresThem(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            dashboard.open(Place.POISON);

            dashboard.moveAll("Discard", true, "a look", "It would have moved 3 of 3");
            awaitPoison(site, 3);
            dashboard.moveAll("Discard", false, "they are too old", "Moved 3 of 3");
            awaitPoison(site, 0);
            browser.shows("0 copies match");

            site.open(browser, "#/poison?archived=true");
            browser.shows("3 copies match");
            dashboard.moveAll("Restore", false, "they are not", "Moved 3 of 3");
            awaitPoison(site, 3);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN", "PATH_MAPPING", "SECURED", "SECURED_WEBFLUX"})
    void replaysAPoisonMessage(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            PoisonMessages poison = site.bean(PoisonMessages.class);
            Incidents.happenAt(site, "a gift");
            String id = poison.list(PoisonFilter.all().withCorrelationId("order-1"))
                    .messages()
                    .get(0)
                    .messageId();
            Dashboard dashboard = new Dashboard(browser, site);
            site.bean(Bank.class).open();
            dashboard.open(Place.POISON);

            dashboard.replay(id, "the bank is open");

            awaitPoison(site, 2);
            browser.shows("2 copies match");
            assertThat(poison.operations())
                    .singleElement()
                    .satisfies(operation -> assertThat(operation.request().by()).isEqualTo(user(variant)));
            await().untilAsserted(
                            () -> assertThat(site.bean(Bank.class).charged()).contains("order-1"));
            assertThat(browser.complaints()).isEmpty();
        }
    }
}
