// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.codec.GzipCodec;
import io.safebunny.spi.codec.BodyCodec;

class GzipCodecContractTest extends BodyCodecContract {

    @Override
    protected BodyCodec codec() {
        return new GzipCodec();
    }
}
