// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck;

import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(StoringClaimCheck.class);
    }
}
