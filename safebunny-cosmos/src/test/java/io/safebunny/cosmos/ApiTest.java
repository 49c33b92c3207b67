// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(CosmosContainers.class);
    }
}
