// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.poison.PoisonedMessage;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.browser.BrowserExtension;
import io.safebunny.proof.watchdog.page.Dashboard;
import io.safebunny.proof.watchdog.site.Copies;
import io.safebunny.proof.watchdog.site.Incidents;
import io.safebunny.proof.watchdog.site.Shop.Charge;
import io.safebunny.proof.watchdog.site.Site;
import io.safebunny.proof.watchdog.site.StoreSwitch;
import io.safebunny.proof.watchdog.site.Variant;
import io.safebunny.transport.BrowsedQueue;
import io.safebunny.transport.Transport;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** All of a long poison queue in groups, and what is done with one of them, or with a selection. */
@Tag("once")
@ExtendWith(BrowserExtension.class)
class CountIT {

    private static final int COPIES = 1_500; // more than a look reads
    private static final int TYPES = 3;

    private final Site site = Site.start(Variant.PLAIN);

    @AfterEach
    void close() {
        site.close();
    }

    private void count(Browser browser, String outcome) {
        browser.click("Count all…");
        browser.fill(Dashboard.REASON, "what is there?");
        browser.click("Count all");
        browser.shows(outcome);
        browser.click("Close");
    }

    private PoisonOperation last() {
        return site.bean(PoisonMessages.class).operations().get(0);
    }

    private List<String> archived() {
        return site.bean(PoisonMessages.class).archived(PoisonFilter.all()).messages().stream()
                .map(PoisonedMessage::messageId)
                .toList();
    }

    @Test
    void groupsAllAndActsOnAGroup(Browser browser) {
        Copies.put(site, COPIES, TYPES);
        Copies.put(site, "rare-1", "Letter", "invalid-message", "com.example.Torn", "{}");
        Copies.put(site, "rare-2", "Letter", "invalid-message", "com.example.Torn", "{}");
        site.open(browser, "#/poison");
        browser.shows("At least 100 copies match: 100 of 1502 in the queue were read");
        assertThat(browser.text()).doesNotContain("Letter");

        count(browser, "It has read 1502 copies.");

        browser.shows(
                "1502 of 1502 copies that nobody else held were read",
                "What has come or gone since is not in it.",
                "The next groups");
        browser.click("The next groups (21 are left)");
        browser.shows("Letter", "com.example.Torn", "rare-1, rare-2");
        assertThat(browser.address().getFragment()).contains("from=100");
        assertThat(browser.barriers()).isEmpty();
        assertThat(browser.complaints()).isEmpty();

        browser.clickIn("tr[data-row^=\"Letter \"]", "2");
        browser.shows("2 of these are in groups that match", "Poison: Letter, invalid-message, com.example.Torn");
        new Dashboard(browser, site).moveAll("Discard", "torn", 2);

        assertThat(last().kind()).isEqualTo(Kind.DISCARD);
        assertThat(archived()).containsExactlyInAnyOrder("rare-1", "rare-2");
        browser.shows("1502 of 1502 copies that nobody else held were read"); // the count is of its time
        site.open(browser, "#/poison?archived=true");
        browser.shows("2 copies match");
        count(browser, "It has read 2 copies.");
        browser.shows("2 of 2 copies that nobody else held were read");
    }

    @Test
    void movesASelection(Browser browser) {
        for (int i = 1; i <= 4; i++) {
            Copies.put(site, "message-" + i, "Letter", "invalid-message", "", "{}");
        }
        site.open(browser, "#/poison");
        browser.shows("4 copies match");

        browser.tick("Select message-2");
        browser.tick("Select message-4");
        browser.shows("2 selected");
        browser.clickIn("[aria-label=\"Selected messages\"]", "Discard…");
        browser.clickIn("dialog", "as curl");
        browser.shows("Discard all copies of 2 messages", "message-2,message-4");
        browser.fill(Dashboard.REASON, "these two");
        browser.click("Count only");
        browser.shows("It would have moved 2 of 2");
        browser.click("Discard now");
        browser.shows("Moved 2 of 2");
        browser.click("Close");

        browser.shows("2 copies match");
        assertThat(archived()).containsExactlyInAnyOrder("message-2", "message-4");
        assertThat(browser.text()).doesNotContain("selected");
        browser.click("Select all 2 below");
        browser.shows("2 selected");
        browser.click("Select none");
        browser.hides("2 selected");
        assertThat(browser.barriers()).isEmpty();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void tellsHowFarItIsAndCanBeStopped(Browser browser) {
        PoisonMessages poison = site.bean(PoisonMessages.class);
        StoreSwitch store = site.bean(StoreSwitch.class);
        Incidents.publish(site, "order-8", new Charge("order-8", "a gift"));
        Incidents.publish(site, "order-9", new Charge("order-9", "another gift"));
        browser.until(
                "two copies", () -> poison.list(PoisonFilter.all()).messages().size() == 2);
        site.open(browser, "#/poison");
        browser.shows("2 copies match");
        store.hesitate();
        try {
            count(browser, "goes on by itself");
            browser.shows(
                    "1 of 2 copies that nobody else held were read",
                    "What it has read is in no list until it ends.",
                    "running");
            assertThat(browser.barriers()).isEmpty();
            browser.click("Stop…");
            browser.click("Stop");
            browser.shows("Done."); // before it can go on, and end
        } finally {
            store.goOn();
        }
        browser.until("an end", () -> last().progress().state() == RunState.CANCELLED);
        browser.click("Close");
        browser.shows(
                "cancelled",
                "1 of 2 copies that nobody else held were read",
                "What has come or gone since is not in it.");
        assertThat(poison.list(PoisonFilter.all()).messages()).hasSize(2);
    }

    /** Of one message there may be copies of other reasons. */
    @Test
    void movesOfASelectionOnlyWhatIsShownAndForgetsIt(Browser browser) {
        Copies.put(site, "message-1", "Letter", "invalid-message", "", "{}");
        Copies.put(site, "message-1", "Letter", "handler-failed", "", "{}");
        Copies.put(site, "message-2", "Letter", "invalid-message", "", "{}");
        site.open(browser, "#/poison?poisonReason=invalid-message");
        browser.shows("2 copies match");
        browser.tick("Select message-1");
        browser.clickIn("[aria-label=\"Selected messages\"]", "Discard…");
        browser.shows("Discard all copies of 1 messages that match the filter");
        browser.fill(Dashboard.REASON, "this one");
        browser.click("Count only");
        browser.shows("It would have moved 1 of 1");
        browser.click("Discard now");
        browser.shows("Moved 1 of 1");
        browser.click("Close");

        browser.shows("1 copy matches");
        assertThat(browser.text()).doesNotContain("selected");
        assertThat(site.bean(PoisonMessages.class).find("message-1"))
                .extracting(copy -> copy.message().reason())
                .containsExactly("handler-failed");
    }

    @Test
    void saysWhatCouldNotBeJudgedAndWhatNobodyElseHeld(Browser browser) {
        PoisonMessages poison = site.bean(PoisonMessages.class);
        Incidents.publish(site, "order-8", new Charge("order-8", "a gift"));
        browser.until("a copy", () -> poison.list(PoisonFilter.all()).messages().size() == 1);
        site.bean(StoreSwitch.class).goAway();
        site.open(browser, "#/poison");
        browser.shows("1 copy matches");
        count(browser, "It has read 1 copies.");
        browser.shows("1 could not be judged");
        site.bean(StoreSwitch.class).comeBack();

        try (BrowsedQueue another = site.bean(Transport.class).browse("shop-poison")) {
            assertThat(another.next()).isNotNull();
            count(browser, "goes on by itself");
            browser.shows("Nothing was read: the queue was empty, or somebody else held all of it");
        }
    }

    @Test
    void whoMayNotChangeAnythingCannotCount(Browser browser) {
        try (Site readOnly = Site.start(Variant.READ_ONLY)) {
            readOnly.open(browser, "#/poison");
            browser.shows("copies match");
            assertThat(browser.has("Count all…")).isFalse();
            assertThat(browser.text()).doesNotContain("Select all");
        }
    }
}
