// SPDX-License-Identifier: Apache-2.0
package io.safebunny;

import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(Bunny.class);
    }
}
