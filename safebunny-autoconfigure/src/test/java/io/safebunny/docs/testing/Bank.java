// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

interface Bank {
    void charge(String order, String key); // once for each key, like any good payment service

    void sendReceipt(String order, String key);
}
