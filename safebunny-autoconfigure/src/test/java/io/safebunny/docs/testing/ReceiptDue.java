// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.testing;

record ReceiptDue(String order) {}
