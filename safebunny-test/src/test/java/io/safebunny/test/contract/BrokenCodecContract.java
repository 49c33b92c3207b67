// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.codec.GzipCodec;
import io.safebunny.message.Envelope;
import io.safebunny.spi.codec.BodyCodec;

/** Does what the sound one does, until a subclass breaks it. */
abstract class BrokenCodecContract extends BodyCodecContract implements BodyCodec {
    final BodyCodec sound = new GzipCodec();

    @Override
    protected BodyCodec codec() {
        return this;
    }

    @Override
    public String encoding() {
        return sound.encoding();
    }

    @Override
    public byte[] encode(Envelope message) {
        return sound.encode(message);
    }

    @Override
    public byte[] decode(Envelope message, long maxSize) {
        return sound.decode(message, maxSize);
    }
}
