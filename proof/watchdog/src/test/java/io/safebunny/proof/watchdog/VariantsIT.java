// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static io.safebunny.proof.watchdog.site.Incidents.awaitPoison;
import static org.assertj.core.api.Assertions.assertThat;

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
import io.safebunny.saga.Sagas;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The page on each kind of server: places of both endpoints tell their facts, and what somebody does there is done, by whom it says; also where
 * requests of other sites are kept out. One server for each.
 */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class VariantsIT {

    /** The least that asks each endpoint, with and without a path below it. */
    private static final List<Place> PLACES = List.of(Place.NOW, Place.STUCK_SAGA, Place.POISON);

    @ParameterizedTest
    @EnumSource
    void thePageIsThereAndChangesWhatItMay(Variant variant, Browser browser) {
        try (Site site = Site.start(variant)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            for (Place place : PLACES) {
                dashboard.open(place);

                assertThat(browser.complaints()).as(place.name()).isEmpty();
            }
            if (variant.isReadOnly()) {
                hasNoButtonsAndSaysWhy(variant, browser, dashboard);
            } else {
                pausesAndResumes(variant, site, dashboard);
            }
            if (variant == Variant.SECURED_WEBFLUX) {
                replaysOne(site, dashboard);
            }
            if (variant == Variant.SECURED) {
                resumesASaga(browser, site, dashboard);
                discardsAllAfterADryRunAndRestoresThem(browser, site, dashboard);
            }
            assertThat(site.strays()).isEmpty();
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static void hasNoButtonsAndSaysWhy(Variant variant, Browser browser, Dashboard dashboard) {
        String why = variant.isSecured() ? "management.endpoint.safebunny.write-roles=CHIEF" : "access=unrestricted";
        for (Place place : List.of(Place.TYPES, Place.POISON, Place.STUCK_SAGA)) {
            dashboard.open(place);

            browser.shows(why);
            for (String button : List.of("Pause…", "Replay…", "Discard…", "Resume…", "Fail…")) {
                assertThat(browser.has(button)).as("%s at %s", button, place).isFalse();
            }
        }
    }

    private static void pausesAndResumes(Variant variant, Site site, Dashboard dashboard) {
        BunnyOperations operations = site.bean(BunnyOperations.class);
        String user = variant.isSecured() ? Site.USER : "anonymous";
        dashboard.open(Place.TYPES);

        dashboard.pause("Charge", "2h", "the bank is closed on Sundays");

        assertThat(operations.paused())
                .extracting(Pause::type, Pause::reason, Pause::by)
                .contains(Tuple.tuple("Charge", "the bank is closed on Sundays", user));

        dashboard.resume("Charge", "it is Monday");

        assertThat(operations.paused()).extracting(Pause::type).doesNotContain("Charge");
    }

    private static void replaysOne(Site site, Dashboard dashboard) {
        PoisonMessages poison = site.bean(PoisonMessages.class);
        String id = poison.list(PoisonFilter.all().withCorrelationId("order-1"))
                .messages()
                .get(0)
                .messageId();
        site.bean(Bank.class).open();
        dashboard.open(Place.POISON);

        dashboard.replay(id, "the bank is open");

        awaitPoison(site, 2);
        dashboard.looksUntil("2 copies match");
        assertThat(poison.operations())
                .singleElement()
                .satisfies(operation -> assertThat(operation.request().by()).isEqualTo(Site.USER));
    }

    private static void resumesASaga(Browser browser, Site site, Dashboard dashboard) {
        dashboard.open(Place.STUCK_SAGA);

        dashboard.resumeSaga("the addition was written off");

        browser.until("a saga that goes on", () -> site.bean(Sagas.class)
                .find("Order", "order-3")
                .filter(saga -> saga.status() == SagaStatus.ACTIVE)
                .isPresent());
        browser.shows("the addition was written off");
    }

    private static void discardsAllAfterADryRunAndRestoresThem(Browser browser, Site site, Dashboard dashboard) {
        dashboard.open(Place.POISON);

        dashboard.moveAll("Discard", "they are too old", 3);
        awaitPoison(site, 0);
        dashboard.looksUntil("0 copies match");

        site.open(browser, "#/poison?archived=true");
        browser.shows("3 copies match");
        dashboard.moveAll("Restore", "they are not", 3);
        awaitPoison(site, 3);
    }
}
