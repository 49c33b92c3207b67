// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.document;

import io.safebunny.saga.SagaView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The last fifty events of a saga; part of its document. Confined to one thread. */
final class SagaHistory {

    static final String NAME = "history";
    private static final int MOST = 50;

    private final ObjectNode root;

    SagaHistory(ObjectNode root) {
        this.root = root;
    }

    void note(Instant now, String what) {
        ObjectNode event =
                SagaFields.withRoom(SagaFields.array(root, NAME), MOST).addObject();
        event.put("at", now.toEpochMilli());
        event.put("what", SagaFields.shortened(what));
    }

    /**
     * Drops the older half of the events, to make room in the document.
     *
     * @return whether there was more than one event
     */
    boolean shorten() {
        ArrayNode events = SagaFields.array(root, NAME);
        int most = Math.max(1, events.size() / 2);
        boolean isShorter = events.size() > most;
        while (events.size() > most) {
            events.remove(0);
        }
        return isShorter;
    }

    /** All events, the latest one last. */
    List<SagaView.Event> all() {
        List<SagaView.Event> events = new ArrayList<>();
        for (JsonNode event : root.path(NAME)) {
            events.add(new SagaView.Event(SagaFields.instant(event, "at"), SagaFields.text(event, "what")));
        }
        return events;
    }
}
