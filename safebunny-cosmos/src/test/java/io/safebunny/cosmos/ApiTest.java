// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cosmos;

import io.safebunny.api.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(CosmosContainers.class);
    }
}
