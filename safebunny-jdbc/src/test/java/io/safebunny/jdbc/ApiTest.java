// SPDX-License-Identifier: Apache-2.0
package io.safebunny.jdbc;

import io.safebunny.api.ApiContract;
import io.safebunny.jdbc.sql.JdbcSchema;

class ApiTest extends ApiContract {

    ApiTest() {
        super(JdbcSchema.class);
    }
}
