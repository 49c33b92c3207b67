// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.SharedSite;
import io.safebunny.proof.watchdog.site.Shop.Pay;
import io.safebunny.proof.watchdog.site.Shop.PlaceOrder;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nobody has to put together an id that is broken in its middle. */
@Tag("once")
@ExtendWith({BrowserExtension.class, SharedSite.class})
class IdsIT {

    private static final String ID = "0b9c3e51-7d4f-4e0c-9a1d-4b7f5d2c8e60-of-the-shop-in-the-street";

    /** Where the id begins and ends on different lines, but for commands, which wrap as a whole. */
    private static final String BROKEN = """
            const broken = [];
            let seen = 0;
            const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
                const text = texts.currentNode;
                const from = text.data.indexOf(arguments[0]);
                if (from < 0 || !text.parentElement.checkVisibility() || text.parentElement.closest('pre')) {
                    continue;
                }
                seen++;
                const range = document.createRange();
                range.setStart(text, from);
                range.setEnd(text, from + arguments[0].length);
                if (new Set([...range.getClientRects()].map(box => box.top)).size > 1) {
                    broken.push(`${text.parentElement.localName}: ${text.data}`);
                }
            }
            return seen === 0 ? ['it is not shown at all'] : broken;
            """;

    private static SagaView blocked(Site site, String id) {
        Sagas sagas = site.bean(Sagas.class);
        Incidents.publish(site, id, new PlaceOrder("a gift"));
        await().until(() -> sagas.find("Order", id).isPresent());
        Incidents.publish(site, id, new Pay("a gift"));
        await().until(() -> sagas.find("Order", id)
                .filter(saga -> !saga.blockedOn().isEmpty())
                .isPresent());
        return sagas.find("Order", id).orElseThrow();
    }

    @Test
    void anIdIsOnOneLine(Site site, Browser browser) {
        SagaView saga = blocked(site, ID);
        String message = saga.blockedOn().get(0).messageId();
        for (int width : new int[] {390, 1280}) {
            browser.inAWindow(width, 844);
            check(site, browser, "#/sagas/Order/" + ID, List.of(ID, message), "The whole story");
            check(site, browser, "#/sagas", List.of(ID), ID);
            check(site, browser, "#/story/" + ID, List.of(ID, message), "In order");
            check(site, browser, "#/poison/" + message, List.of(ID, message), "the bank is closed");
            check(site, browser, "#/poison?correlation=" + ID, List.of(message), "the bank is closed");
        }
    }

    private static void check(Site site, Browser browser, String fragment, List<String> ids, String fact) {
        site.open(browser, fragment);
        browser.shows(fact);
        for (String id : ids) {
            browser.until(
                    id + " on one line at " + fragment + ", and not " + browser.run(List.class, BROKEN, id),
                    () -> browser.run(List.class, BROKEN, id).isEmpty());
        }
        assertThat(browser.run(
                        Boolean.class,
                        "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                .as("nothing is beside the screen")
                .isTrue();
    }

    /** What the ellipsis hides can be read, and is copied with the rest. */
    @Test
    void anIdThatIsCutIsThereAsAWhole(Site site, Browser browser) {
        String id = ID.replace("street", "square");
        blocked(site, id);
        browser.inAWindow(390, 844);
        site.open(browser, "#/sagas");
        browser.shows(id);

        assertThat(browser.run(String.class, """
                const shown = [...document.querySelectorAll('.id')].find(one => one.textContent === arguments[0]);
                getSelection().selectAllChildren(shown);
                return [shown.title, shown.scrollWidth > shown.clientWidth, String(getSelection())].join();
                """, id)).isEqualTo(id + ",true," + id);
    }
}
