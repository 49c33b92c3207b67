// SPDX-License-Identifier: Apache-2.0
package io.safebunny.poison.queue;

import io.safebunny.transport.Delivery;

/** How a delivery ends. */
public enum Settlement {
    /** The message is done with, or its copy is confirmed elsewhere. */
    ACKNOWLEDGE,
    /** It could neither be finished nor moved on: it stays in its queue and is delivered again. */
    HAND_BACK,
    /** No copy of it is taken: the broker itself moves it towards the poison queue. */
    REJECT;

    public void settle(Delivery delivery) {
        switch (this) {
            case ACKNOWLEDGE -> delivery.acknowledge();
            case HAND_BACK -> delivery.handBack();
            case REJECT -> delivery.reject();
        }
    }
}
