// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.watchdog.page;

import io.safebunny.proof.watchdog.site.Incidents;
import java.util.List;

/** A place of the page, and what it tells of the {@link Incidents}. */
public enum Place {
    NOW("#/now", "OrderPlaced (paused by night shift"),
    TYPES("#/types", "Charge", "the bank is closed"),
    TYPE("#/types/OrderPlaced", "night shift", Incidents.PAUSED),
    SAGAS("#/sagas?state=stuck", "order-3"),
    STUCK_SAGA("#/sagas/Order/order-3", "It takes no message until somebody replays Add", "History"),
    BLOCKED_SAGA("#/sagas/Order/order-2", "Messages that were set aside", "handler-failed", "charge"),
    STORY("#/story/order-3", "Order order-3", "In order", "What shop knows"),
    POISON("#/poison", "the bank is closed", "nothing can be added"),
    ARCHIVE("#/poison?archived=true", "Archive", "What was discarded?"),
    SCHEDULED("#/scheduled", "ReminderDue", "in 23 h", "Not among them: timeouts of sagas"),
    WAITING("#/waiting", "The broker takes all of them."),
    TOPOLOGY("#/topology", "shop-Charge", "shop-poison"),
    INSTANCES(
            "#/instances",
            "All that are known have answered: 1 instance of 1 node.",
            "this one",
            "paused by an operator"),
    AUDIT("#/audit", "Who did what, and what came of it?", "These are the last 200 actions on this instance");

    private final String fragment;

    @SuppressWarnings("ImmutableEnumChecker") // immutable, because made by List.of
    private final List<String> facts;

    Place(String fragment, String... facts) {
        this.fragment = fragment;
        this.facts = List.of(facts);
    }

    /** The end of the address, which everybody may share. */
    public String fragment() {
        return fragment;
    }

    String[] facts() {
        return facts.toArray(String[]::new);
    }
}
