// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.rules.ApiContract;
import io.safebunny.test.contract.transport.TransportContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(TransportContract.class);
    }
}
