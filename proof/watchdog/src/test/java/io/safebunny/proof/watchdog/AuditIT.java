// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.page.Place;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.Variant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who did what, and what came of it: with a repository of audit events, and without. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class AuditIT {

    private static final String HOSTILE = "\"'><img src=x onerror=attack()><script>attack()</script>";

    /** While a node is updated, another instance may answer, that does not know yet how looks are left out. */
    private static final String OLDER = """
            const real = window.fetch;
            const refusal = JSON.stringify({status: 400, title: 'Bad Request', detail: 'Unknown parameter looks.'});
            window.fetch = (address, options) => String(address).includes('looks=false')
                ? Promise.resolve(new Response(refusal, {status: 400, headers: {'Content-Type': 'application/problem+json'}}))
                : real(address, options);
            location.hash = '#/audit';
            return true;
            """;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tellsOfEachActionWhoAndWhyAndWhatCameOfIt(boolean keeps, Browser browser) {
        String[] more =
                keeps ? new String[] {"site.audit=true", "management.auditevents.enabled=false"} : new String[] {};
        try (Site site = Site.start(Variant.PLAIN, more)) {
            Incidents.happenAt(site, "a gift");
            Dashboard dashboard = new Dashboard(browser, site);
            dashboard.open(Place.TYPES);
            dashboard.pause("Charge", "2h", HOSTILE);
            dashboard.open(Place.POISON);
            dashboard.moveAll("Discard", "they are too old", 3);
            dashboard.open(Place.STUCK_SAGA);
            dashboard.resumeSaga("it is written off");
            browser.click("Show the state");
            browser.shows("State of version");

            browser.inAWindow(1280, 900);
            browser.click("Audit");
            browser.shows("1 look at a body or a state is not shown.", "saga resume");
            assertThat(browser.text()).doesNotContain("content state");
            browser.click("Show looks, too");
            assertThat(browser.address()).hasFragment("/audit?looks=true");

            browser.shows(
                    keeps
                            ? "These are kept by the application's AuditEventRepository"
                            : "To keep them all, define a bean of type AuditEventRepository",
                    "anonymous",
                    "pause type Charge",
                    HOSTILE,
                    "discard",
                    "they are too old",
                    "moved 3 of 3",
                    "filter all; at most 10",
                    "saga resume",
                    "it is written off",
                    "content state",
                    "No other instance of this node is known.");
            assertThat(browser.run(Number.class, "return document.querySelectorAll('img, body script').length"))
                    .isEqualTo(0L);
            assertThat(browser.barriers()).isEmpty();
            assertThat(browser.run(Boolean.class, """
                    const scroll = document.querySelector('.scroll');
                    return scroll.scrollWidth <= scroll.clientWidth;
                    """))
                    .as("all columns are to be seen")
                    .isTrue();
            assertThat(browser.run(Number.class, "return document.querySelector('header').offsetHeight")
                            .intValue())
                    .as("the head of the page is one row")
                    .isLessThan(70);

            browser.click("Hide them");
            browser.hides("content state");
            assertThat(browser.address()).hasFragment("/audit");

            browser.fill("What", "pause");
            browser.shows("Audit: pause");
            browser.hides("they are too old");
            assertThat(browser.address()).hasFragment("/audit?action=PAUSE");

            site.open(browser, "#/audit?about=order-3");
            browser.shows("it is written off", "Audit: order-3");
            browser.hides("they are too old");
            browser.click("order-3");
            browser.shows("Order order-3");

            site.open(browser, "#/audit?by=nobody");
            browser.shows("Nobody has done anything that this filter finds.");

            site.open(browser, "#/audit?action=DISCARD");
            browser.clickIn("tr[data-row=\"0\"]", "its progress");
            browser.shows("How far is it, and what was not moved?", "they are too old");

            browser.run(Boolean.class, OLDER);
            browser.shows("Who did what, and what came of it?", "they are too old", "content state");
            assertThat(browser.text()).doesNotContain("Unknown parameter");
            assertThat(browser.complaints()).isEmpty();
        }
    }
}
