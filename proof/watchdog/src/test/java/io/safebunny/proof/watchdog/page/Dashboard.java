// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonOperation.RunState;
import io.safebunny.proof.watchdog.browser.Browser;
import io.safebunny.proof.watchdog.site.Site;

/** What somebody does on the page of a site. */
public final class Dashboard {

    /** Of the field that each change asks for. */
    public static final String REASON = "Reason, for the log and the audit";

    private final Browser browser;
    private final Site site;

    public Dashboard(Browser browser, Site site) {
        this.browser = browser;
        this.site = site;
    }

    /** Opens a place, and waits for what it tells. */
    public void open(Place place) {
        site.open(browser, place.fragment());
        browser.shows(place.facts());
    }

    /** From the place {@link Place#TYPES}. */
    public void pause(String type, String duration, String reason) {
        browser.clickIn(row(type), "Pause…");
        browser.fill("For how long", duration);
        confirm("Pause", reason, "Operation");
    }

    /** From the place {@link Place#TYPES}. */
    public void resume(String type, String reason) {
        browser.clickIn(row(type), "Resume…");
        confirm("Resume", reason, "Operation");
    }

    /** Has a list read again until it shows this; what has begun may still be under way when its dialog says so. */
    public void looksUntil(String fact) {
        browser.until(fact, () -> {
            browser.click("Look again");
            browser.until("an answer", () -> browser.has("Look again"));
            return browser.text().contains(fact);
        });
    }

    /** From the place {@link Place#POISON}. */
    public void replay(String messageId, String reason) {
        browser.clickIn(row(messageId + " "), "Replay…");
        confirm("Replay", reason, "Its progress");
    }

    /** From the place of a saga that needs it. */
    public void resumeSaga(String reason) {
        browser.click("Resume…");
        confirm("Resume", reason, "The saga is");
    }

    /**
     * Does something with all copies of the list, after they were counted, from the place {@link Place#POISON} or {@link Place#ARCHIVE}.
     *
     * @param copies how many there are
     */
    public void moveAll(String action, String reason, int copies) {
        browser.click(action + "…");
        browser.fill(REASON, reason);
        browser.click("Count only");
        browser.shows("It would have moved");
        moved(copies);
        browser.click(action + " now");
        browser.shows("Its progress");
        moved(copies);
        browser.click("Close");
    }

    /** Waits until the last operation has ended. */
    private void moved(int copies) {
        PoisonOperation last = site.bean(PoisonMessages.class).operations().get(0);
        browser.until("the end of " + last, () -> last.progress().state() == RunState.ENDED);
        assertThat(last.progress().moved()).isEqualTo(copies);
    }

    private void confirm(String action, String reason, String outcome) {
        browser.fill(REASON, reason);
        browser.click(action);
        browser.shows(outcome);
        browser.click("Close");
    }

    /** @param id what the row's id begins with */
    private static String row(String id) {
        return "tr[data-row^=\"%s\"]".formatted(id);
    }
}
