// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.GzipCodec;

class GzipCodecContractTest extends BodyCodecContract {

    @Override
    protected BodyCodec codec() {
        return new GzipCodec();
    }
}
