// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.GzipCodec;
import io.safebunny.test.contract.bites.Fault;

/** The contract with a codec that has the current fault. */
class BrokenCodecContract extends BodyCodecContract {

    private final BodyCodec codec = Fault.<BrokenCodecContract, BodyCodec>current()
            .in(this, BodyCodec.class)
            .apply(new GzipCodec());

    @Override
    protected BodyCodec codec() {
        return codec;
    }
}
