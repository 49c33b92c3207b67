// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import io.safebunny.identity.RandomIds;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.scheduling.ScheduledDocument.Alarm;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.time.Instant;

/** Creates the messages that make a node store a scheduled message, and the alarms that wake it. Thread-safe. */
final class Alarms {

    private final LibraryMessages library;
    private final Timeline timeline;

    Alarms(LibraryMessages library, Timeline timeline) {
        this.library = library;
        this.timeline = timeline;
    }

    Alarm next(Instant deliverAt, Instant now) {
        return new Alarm(RandomIds.next(timeline.random()), LibraryMessages.wakesAt(deliverAt, now));
    }

    /** The alarm's message, with the same id however often it is sent. */
    OutboundMessage message(Alarm alarm, String messageId, Instant now) {
        Instant due = alarm.wakesAt().isBefore(now) ? now : alarm.wakesAt();
        OutboundMessage message = library.first(alarm.token(), messageId, new BunnyScheduled(null, 0), now, due);
        return message.deliveredAt(due, message.delay());
    }

    /** The message that tells the node to store a scheduled message. */
    OutboundMessage keep(BunnyScheduled scheduled, String messageId, Instant now) {
        return library.first(RandomIds.next(timeline.random()), messageId, scheduled, now, now);
    }
}
