// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(TransportContract.class);
    }
}
