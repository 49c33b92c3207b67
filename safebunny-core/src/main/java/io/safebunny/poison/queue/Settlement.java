// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.transport.Delivery;

/** How a delivery ends. */
public enum Settlement {
    /** The message is done, or its copy is confirmed elsewhere. */
    ACKNOWLEDGE,
    /** The message could neither be finished nor moved: it stays in its queue and is delivered again. */
    HAND_BACK,
    /** The broker refuses the copy: the broker itself moves the message towards the poison queue. */
    REJECT;

    public void settle(Delivery delivery) {
        switch (this) {
            case ACKNOWLEDGE -> delivery.acknowledge();
            case HAND_BACK -> delivery.handBack();
            case REJECT -> delivery.reject();
        }
    }
}
