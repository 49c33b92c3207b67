// SPDX-License-Identifier: Apache-2.0
package io.safebunny.vault;

import io.safebunny.rules.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(VaultKeys.class);
    }
}
