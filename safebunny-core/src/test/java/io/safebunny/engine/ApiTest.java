// SPDX-License-Identifier: Apache-2.0
package io.safebunny.engine;

import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(SafeBunnyEngine.class);
    }
}
