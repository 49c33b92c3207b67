// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit;

import io.safebunny.api.ApiContract;

class ApiTest extends ApiContract {

    ApiTest() {
        super(RabbitTransport.class);
    }
}
