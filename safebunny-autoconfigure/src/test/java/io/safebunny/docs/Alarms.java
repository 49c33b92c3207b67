// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static io.safebunny.docs.GuideListingsTest.log;

import io.safebunny.SafeBunnyEvent.MessageGivenUp;
import io.safebunny.SafeBunnyEvent.MessagePoisoned;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class Alarms {

    @EventListener
    void on(MessageGivenUp event) {
        log.error("{} {} is given up: {}", event.type(), event.messageId(), event.exceptionType());
    }

    @EventListener
    void on(MessagePoisoned event) {
        log.warn("Look into {}-poison: {} of queue {}", event.node(), event.reason(), event.queue());
    }
}
