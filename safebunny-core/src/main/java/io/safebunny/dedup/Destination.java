// SPDX-License-Identifier: Apache-2.0
package io.safebunny.dedup;

import io.safebunny.spi.transport.OutboundMessage;
import io.safebunny.spi.transport.Route;

/** Where a publication goes: what is wrong there holds back the others that go there too. */
record Destination(Route route, boolean delayed) {

    static Destination of(OutboundMessage message) {
        return new Destination(message.route(), !message.delay().isZero());
    }
}
