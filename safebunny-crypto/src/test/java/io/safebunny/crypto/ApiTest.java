// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(EncryptingCodec.class);
    }
}
